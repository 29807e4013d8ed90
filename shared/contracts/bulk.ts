import * as z from 'zod';
import { BULK_MODES } from '../domain/bulk/accept.ts';
import { UNIFIED_STATUSES } from '../domain/tracking/views.ts';
import { BatchAccepted, batchTotals, MAX_MESSAGES } from './batch.ts';
import { BulkMessage } from './bulk-message.ts';
import { closedObject, count, dateTime, openObject, part, pathId } from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';

/** A valid message, or the raw value of an invalid one. */
const Entry = z
  .union([BulkMessage.transform((valid) => ({ valid })), z.unknown().transform((invalid) => ({ invalid }))])
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.anyOf;
      jsonSchema.$ref = '#/components/schemas/BulkMessage';
    },
  });

const BulkSend = closedObject('BulkSend', 'Messages on any channels, sent in one call.', {
  messages: z
    .array(Entry)
    .min(1)
    .max(MAX_MESSAGES)
    .meta({
      description: `1 to ${MAX_MESSAGES} messages. An invalid one is refused on its own, and listed in \`errors\`.`,
    }),
  mode: z.enum(BULK_MODES).meta({
    description: 'permissive: valid and affordable messages are accepted. strict: all of the messages, or none.',
    example: 'permissive',
  }),
});

const BulkSent = BatchAccepted.extend({
  replayed: z.boolean().meta({
    description:
      'True when earlier calls with the same Idempotency-Key left nothing of it to accept: nothing is sent again.',
    example: false,
  }),
}).meta({ id: 'BulkSent', description: 'The result of a bulk send.' });

const Batch = openObject('Batch', 'A batch and its progress.', {
  ...batchTotals,
  createdAt: dateTime('When it was requested.'),
  counts: part(
    'The accepted messages by status.',
    Object.fromEntries(
      UNIFIED_STATUSES.map((name) => [name, count(`Messages that are ${name}.`, name === 'delivered' ? 2 : 0)]),
    ) as Record<(typeof UNIFIED_STATUSES)[number], ReturnType<typeof count>>,
  ),
});

export const bulkSend = defineOperation({
  id: 'bulk.send',
  route: 'POST /v1/messages/bulk',
  tag: 'All channels',
  summary: 'Send up to 5,000 messages',
  description:
    'Each message is like a single send, with its own channel, content, fallbacks and key, and is sent asynchronously. permissive: valid and affordable messages are accepted, the others are listed in `errors`. strict: nothing is accepted, held or sent unless all messages are. A message with an `idempotencyKey` that was used before with the same body counts as accepted and is not sent again, so a batch whose response was lost can be repeated. An Idempotency-Key is that of the whole request: the same request again is answered with the first batch and `replayed: true`, and sends nothing twice; messages that were refused are checked again, and if any is accepted the answer is a new batch of all of them. Another body or mode under it is 409, and so is another operation. In both modes the batch is decided as a whole before any message is sent: if it cannot be reserved within 18 seconds, or the store is unavailable meanwhile, the answer is 503 with Retry-After, nothing of it is sent or stays held, and the same request can be repeated. The contracted SMS per second limit what one batch may accept in a second.',
  permission: 'messages:send',
  idempotency: 'optional',
  rate: 'bulk_send',
  body: BulkSend,
  responses: { 202: BulkSent },
  errors: ['PAYMENT_REQUIRED', 'CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['bulk', 'outcome', 'events'], rootKeys: SENDING_KEYS, liveVolume: true },
  memoryMb: 1769,
  timeoutSeconds: 28,
});

export const getBatch = defineOperation({
  id: 'bulk.get',
  route: 'GET /v1/messages/bulk/{batchId}',
  tag: 'All channels',
  summary: 'Read a batch and its progress',
  permission: 'messages:read',
  params: z.object({ batchId: pathId('batch', 'The id of the batch.') }),
  answer: Batch,
  uses: { table: 'read' },
});
