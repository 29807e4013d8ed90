import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { PRIORITIES } from '../domain/message/message.ts';
import { coins, dateTime, environment } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { campaignId, QUEUED_SEND } from './sends.ts';

/** Bounds of how long a fallback may wait, in ms. */
const FALLBACK_WAIT_MS = { min: 10_000, max: 72 * 3600_000 } as const;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3600_000 };

/** A number with a unit (`30s`, `10m`, `2h`), parsed to ms: docs/spec/v1.md#request. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smh]$/, 'must be a whole number and its unit: 30s, 10m, 2h')
  .transform((text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0))
  .refine((ms) => ms >= FALLBACK_WAIT_MS.min && ms <= FALLBACK_WAIT_MS.max, 'must be between 10s and 72h')
  .meta({ description: 'A whole number with its unit: `30s`, `10m`, `2h`; from 10s to 72h.', example: '10m' });

const channel = z.enum(CHANNELS).meta({ description: 'The route of the message.', example: 'sms' });
const to = z.string().min(1).max(4_096).meta({
  description: "The recipient in the channel's own format: E.164, an e-mail address, a user's id.",
  example: '+5511999990005',
});
const template = z.string().min(1).max(512).meta({
  description:
    "A template, by its id or name: an approved one on WhatsApp, a saved one of `/v2/email/templates` on e-mail. On sms, rcs, push and instagram the body of the WhatsApp template leaves as a text, filled; 422 where the organization keeps none by this name. A test key takes any name on these channels and says it with its values, as the sandbox's WhatsApp does.",
  example: 'pedido_enviado',
});
const variables = z
  .record(z.string().min(1).max(64), z.union([z.string().max(4_096), z.number(), z.boolean()]))
  .meta({ description: 'Named template variables.', example: { nome: 'Ana' } });
const text = z
  .string()
  .min(1)
  .max(10_000)
  .meta({ description: 'The text; this or a template is needed.', example: 'Seu pedido saiu para entrega.' });
const maxCoins = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .meta({ description: 'The way is left out when it would cost more coins than this.', example: 2_000 });

const Fallback = z
  .union([
    channel,
    z.strictObject({
      channel,
      to: to.optional(),
      text: text.optional(),
      template: template.optional(),
      variables: variables.optional(),
      after: duration.optional(),
      maxCoins: maxCoins.optional(),
    }),
  ])
  .meta({
    id: 'Fallback',
    description:
      "A way that is tried when the one before did not deliver: a channel, or one with its own recipient, content, wait and price limit. What it leaves out is the message's own; a recipient of another format comes from the contact.",
  });

/** The body of a send: docs/spec/v1.md#request. */
export const V1Send = z
  .strictObject({
    channel,
    to,
    text: text.optional(),
    template: template.optional(),
    variables: variables.optional(),
    fallback: z
      .array(Fallback)
      .min(1)
      .max(5)
      .optional()
      .meta({ description: 'Other ways, tried in order: at most 5.' }),
    fallback_after: duration.optional(),
    maxCoins: maxCoins.optional(),
    contactId: idSchema('contact', 'The contact it is for; its opt-out decides.').optional(),
    campaignId: campaignId.optional(),
    metadata: metadataSchema.optional(),
    priority: z.enum(PRIORITIES).optional().meta({ description: 'How urgent it is.', example: 'normal' }),
    scheduledAt: dateTime('When it leaves; now when absent or past. At most 90 days ahead.').optional(),
  })
  .refine(({ text: said, template: saved }) => (said === undefined) !== (saved === undefined), {
    message: 'must be given, or template: one of both',
    path: ['text'],
  })
  .meta({ id: 'OverviewSend', description: 'A message on any channel, with its fallbacks.' });

const price = z.object({ coins: coins('The price of the message.') }).meta({ description: 'The price applied.' });
const volumeBand = z
  .object({
    index: z.int().min(0).meta({ description: 'The band, the first is 0.', example: 0 }),
    from: z.int().min(1).meta({ description: 'The first unit of the month in this band.', example: 1 }),
    upTo: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'The last unit of the month in this band; null in the last band.' }),
  })
  .meta({ description: 'The volume band that the price comes from.' });
const wallet = z
  .object({ balanceCoins: coins('What can be spent after this send.') })
  .meta({ description: 'The wallet of the environment.' });

export const V1Accepted = z
  .object({
    id: idSchema('message'),
    status: z.literal('queued').meta({ description: 'It leaves by itself; its outcome comes by webhook.' }),
    channel,
    env: environment,
    createdAt: dateTime('When it was accepted.'),
    replayed: z.boolean().meta({ description: 'True when an earlier call with this key made it.', example: false }),
    price,
    volumeBand,
    wallet,
    fallback: z
      .array(
        z.object({
          channel,
          after: z.string().meta({ description: 'How long the way before it is waited for.', example: '600s' }),
          price,
        }),
      )
      .optional()
      .meta({ description: 'The fallbacks, each at the price of this moment; charged only when it is taken.' }),
  })
  .meta({ id: 'OverviewAccepted', description: 'The accepted message.' });

const FallbackStep = z.object({
  channel,
  route: z.string().meta({ description: 'The row of the price table.', example: 'premium' }).optional(),
  to: z.string().meta({ description: 'The recipient; masked without pii:full.' }).optional(),
  after: z.string().meta({ description: 'How long the way before it is waited for; 0s for the first.', example: '0s' }),
  units: z.int().meta({ description: 'What the price counts: segments on SMS, else 1.', example: 1 }).optional(),
  price: price.optional(),
  volumeBand: volumeBand.optional(),
  leavesAt: dateTime(
    'When it would leave: at once, when scheduled, or after the quiet hours; a fallback, when the ways before it stay silent.',
  ).optional(),
  provider: z.string().meta({ description: 'Who would carry it.', example: 'sandbox_provider' }).optional(),
  refusal: z
    .object({
      code: z.string().meta({ description: "The overview contract's code.", example: 'insufficient_funds' }),
      detail: z.string().meta({ description: 'Why.' }),
      action: z.string().meta({ description: 'What the caller is advised to do.' }),
      reason: z
        .string()
        .meta({ description: 'What a send names in `meta.motivo`, or its message as `reason`.', example: 'suppressed' })
        .optional(),
    })
    .optional()
    .meta({ description: 'Why it would be refused; absent when it would not.' }),
});

export const SendPlanView = z
  .object({
    hops: z.array(FallbackStep).meta({ description: 'The message and its fallbacks, in order.' }),
    price: z
      .object({
        coins: coins('The price of the message itself.'),
        atMostCoins: coins('The price when every way had to be tried.'),
      })
      .meta({ description: 'What it would cost.' }),
    wallet,
  })
  .meta({ id: 'SendPlan', description: 'What a send would do and cost. Nothing is stored or charged.' });

export const v1Send = defineOperation({
  ...QUEUED_SEND,
  id: 'overview.send',
  path: '/v1/messages',
  tag: 'Overview',
  summary: 'Send a message on any channel',
  description:
    'One field chooses the route, and one template may serve a whole chain: a WhatsApp template falls back to an SMS with its filled body. The message is accepted and leaves by itself; its outcome, and that of every fallback, comes by webhook: as `message.failed` where the channel has no event of its own for a failure. Each way that is taken is billed at its own rate. An e-mail to a suppressed address is accepted as well: it ends as failed with the reason `suppressed`, and nothing is charged. The same Idempotency-Key within 24 hours answers with the same message; with another body, 409. Errors carry the lower-case codes of this contract and a recommended `action`.',
  permission: 'messages:send',
  request: { body: V1Send },
  responses: { 202: V1Accepted },
});

export const v1Preview = defineOperation({
  id: 'overview.preview',
  method: 'POST',
  path: '/v1/messages/preview',
  tag: 'Overview',
  summary: 'What a send would do and cost',
  description:
    'The send plan, way by way: price, band, recipient, departure, and why it would be refused. A suppressed e-mail address is shown as a `refusal` with the reason `suppressed`, whose price is not charged: the send itself answers 202, and the message then ends as failed with that reason, and its fallbacks go on.',
  permission: 'messages:send',
  request: { body: V1Send },
  responses: { 200: SendPlanView },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'VALIDATION_ERROR'],
  uses: { table: 'read', vault: true, liveVolume: true },
});
