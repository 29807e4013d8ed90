import * as z from 'zod';
import { BULK_MODES } from '../domain/bulk/accept.ts';
import { V1_CODES, type V1Code } from '../domain/core/errors.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { UNIFIED_STATUSES } from '../domain/tracking/views.ts';
import { dateTime, IDEMPOTENCY_KEY, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { V1Send } from './overview.ts';

/** Messages of one call: docs/spec/bulk.md#bulk-send. */
export const MAX_MESSAGES = 5_000;

/** One message of a bulk send. An invalid one is rejected on its own, so the operation's body does not enforce this schema. */
export const BulkMessage = V1Send.safeExtend({
  idempotencyKey: z.string().regex(IDEMPOTENCY_KEY, 'must be 1 to 255 visible ASCII characters').optional().meta({
    description:
      'Makes the message repeatable for 24 hours, as the header does for a single send: with it a repeated batch sends nothing twice.',
    example: 'order-1842-shipped',
  }),
}).meta({ id: 'BulkMessage', description: 'The body of a single send, and the key that makes it repeatable.' });

/** A valid message, or the raw value of an invalid one. */
const Entry = z
  .union([BulkMessage.transform((valid) => ({ valid })), z.unknown().transform((invalid) => ({ invalid }))])
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.anyOf;
      jsonSchema.$ref = '#/components/schemas/BulkMessage';
    },
  });

const BulkSend = z
  .strictObject({
    messages: z
      .array(Entry)
      .min(1)
      .max(MAX_MESSAGES)
      .meta({
        description: `1 to ${MAX_MESSAGES} messages. One that breaks the contract is refused by itself, and named in \`errors\`.`,
      }),
    mode: z.enum(BULK_MODES).meta({
      description: 'permissive: what is right and affordable is accepted. strict: all of the messages, or none.',
      example: 'permissive',
    }),
  })
  .meta({ id: 'BulkSend', description: 'Messages of any channels, to be sent at once.' });

const codes = Object.keys(V1_CODES) as [V1Code, ...V1Code[]];
const count = (description: string, example: number) => z.int().min(0).meta({ description, example });

export const batchTotals = {
  batchId: idSchema('batch', 'The batch: find its messages by it, and its state at `GET /v1/messages/bulk/{batchId}`.'),
  total: count('How many messages were asked for.', 3),
  accepted: count('How many of them are accepted, or were by an earlier call with the same key.', 2),
  rejected: count('How many are not; `errors` names each.', 1),
};

export const BatchAccepted = z
  .object({
    ...batchTotals,
    errors: z
      .array(
        z.object({
          index: count('The place of the message in the request; the first is 0.', 2),
          code: z.enum(codes).meta({ description: "The overview contract's code.", example: 'invalid_phone' }),
          message: z.string().meta({ description: 'What is wrong.' }),
        }),
      )
      .meta({ description: 'What was not accepted, and why, in the order of the request.' }),
  })
  .meta({ id: 'BatchAccepted', description: 'What became of a batch.' });

const Batch = z
  .object({
    ...batchTotals,
    createdAt: dateTime('When it was asked for.'),
    counts: z
      .object(
        Object.fromEntries(
          UNIFIED_STATUSES.map((name) => [name, count(`Messages that are ${name}.`, name === 'delivered' ? 2 : 0)]),
        ) as Record<(typeof UNIFIED_STATUSES)[number], ReturnType<typeof count>>,
      )
      .meta({ description: 'How many of the accepted messages stand where.' }),
  })
  .meta({ id: 'Batch', description: 'How far a batch is.' });

export const bulkSend = defineOperation({
  id: 'bulk.send',
  method: 'POST',
  path: '/v1/messages/bulk',
  tag: 'Overview',
  summary: 'Send up to 5,000 messages',
  description:
    'Each message is that of a single send, with its own channel, content, fallbacks and key, and leaves by itself. permissive: whatever is right and affordable is accepted, the rest is named in `errors`. strict: nothing is accepted, held or sent unless all of it is. A message with an `idempotencyKey` that was used before with the same body counts as accepted and is not sent again, so a batch whose answer was lost can be repeated. What could not be taken in within the time of the request is refused as `unavailable`, a strict batch then as a whole with 503, and nothing of it leaves. The contracted SMS per second limit what one batch may accept in a second.',
  permission: 'messages:send',
  rate: 'bulk_send',
  request: { body: BulkSend },
  responses: { 202: BatchAccepted },
  errors: [
    'BAD_REQUEST',
    'UNAUTHORIZED',
    'PAYMENT_REQUIRED',
    'FORBIDDEN',
    'CONFLICT',
    'PAYLOAD_TOO_LARGE',
    'VALIDATION_ERROR',
    'RATE_LIMITED',
    'SERVICE_UNAVAILABLE',
  ],
  uses: { table: 'write', queues: ['bulk', 'outcome', 'events'], vault: true, liveVolume: true },
  memoryMb: 1769,
  timeoutSeconds: 28,
});

export const getBatch = defineOperation({
  id: 'bulk.get',
  method: 'GET',
  path: '/v1/messages/bulk/{batchId}',
  tag: 'Overview',
  summary: 'How far a batch is',
  permission: 'messages:read',
  request: { params: z.object({ batchId: pathId('batch', 'The batch.') }) },
  responses: { 200: Batch },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});
