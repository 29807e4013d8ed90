import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { coins, count, dateTime, environment, flag, openObject, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { QUEUED_SEND } from './sends.ts';
import { channel, V1Send } from './v1-fields.ts';

const price = part('The price applied.', { coins: coins('The price of the message.') });
const volumeBand = part('The volume band that the price comes from.', {
  index: count('The index of the band, from 0.', 0),
  from: z.int().min(1).meta({ description: 'The first unit of the month in this band.', example: 1 }),
  upTo: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: 'The last unit of the month in this band; null in the last band.' }),
});
const wallet = part('The wallet of the environment.', { balanceCoins: coins('The balance after this send.') });

const stepRefusal = z.object({
  code: text('The /v1 error code.', 'insufficient_funds'),
  detail: text('Why.'),
  action: text('The recommended action.'),
  reason: text(
    'The reason as in `meta.motivo` of a refused send, or as `reason` of its message.',
    'suppressed',
  ).optional(),
});

export const V1Accepted = openObject('V1Accepted', 'The accepted message.', {
  id: idSchema('message'),
  status: z.literal('queued').meta({ description: 'It is sent asynchronously; its outcome arrives by webhook.' }),
  channel,
  env: environment,
  createdAt: dateTime('When it was accepted.'),
  replayed: flag('True when an earlier call with this key created it.', false),
  price,
  volumeBand,
  wallet,
  fallback: z
    .array(
      z.object({
        channel,
        after: text('How long it waits for the delivery of the step before.', '600s'),
        price: price.optional(),
        refusal: stepRefusal.optional().meta({
          description: 'Why it could not be sent now: unless that changes before it is due, it is skipped.',
        }),
      }),
    )
    .optional()
    .meta({
      description:
        'The fallbacks with their current prices, or why they could not be sent now; each is charged only when it is sent.',
    }),
});

const FallbackStep = z.object({
  channel,
  route: text('The row of the price table.', 'premium').optional(),
  to: text('The recipient; masked without pii:full.').optional(),
  after: text('How long it waits for the delivery of the step before; 0s for the first.', '0s'),
  units: z.int().meta({ description: 'The number of billed units: segments on SMS, else 1.', example: 1 }).optional(),
  price: price.optional(),
  volumeBand: volumeBand.optional(),
  leavesAt: dateTime(
    'When it would be sent: at once, when scheduled, or when quiet hours end; a fallback, if no step before it delivers.',
  ).optional(),
  provider: text('The provider that would send it.', 'sandbox_provider').optional(),
  refusal: stepRefusal.optional().meta({
    description:
      'Why it would be refused; absent when it would not. A fallback is then skipped, unless that changes before it is due.',
  }),
});

export const SendPlanView = openObject('SendPlan', 'What a send would do and cost. Nothing is stored or charged.', {
  hops: z.array(FallbackStep).meta({ description: 'The message and its fallbacks, in order.' }),
  price: part('What it would cost.', {
    coins: coins('The price of the message itself.'),
    atMostCoins: coins('The price if every fallback is sent.'),
  }),
  wallet,
});

export const v1Send = defineOperation({
  ...QUEUED_SEND,
  id: 'v1.send',
  route: 'POST /v1/messages',
  tag: 'All channels',
  summary: 'Send a message on any channel',
  description:
    'One field selects the channel, and one template may serve the message and its fallbacks: a WhatsApp template falls back to an SMS with its filled body. The message is accepted and sent asynchronously; its outcome, and that of every fallback, arrives by webhook: as `message.failed` where the channel has no event of its own for a failure. Each message that is sent is billed at its own rate. An e-mail to a suppressed address is accepted as well: it fails with the reason `suppressed`, and nothing is charged. The same Idempotency-Key within 24 hours returns the same message; with another body, 409. Errors have the lower-case codes of /v1 and a recommended `action`.',
  permission: 'messages:send',
  body: V1Send,
  responses: { 202: V1Accepted },
});

export const v1Preview = defineOperation({
  id: 'v1.preview',
  route: 'POST /v1/messages/preview',
  tag: 'All channels',
  summary: 'Preview a send and its cost',
  description:
    'The send plan, step by step: price, band, recipient, send time, and why it would be refused. A suppressed e-mail address is shown as a `refusal` with the reason `suppressed`, whose price is not charged: the send itself is 202, and the message then fails with that reason, and its fallbacks are sent. Without pii:full, at most 60 previews a minute may show that a recipient opted out or is suppressed; then 429.',
  permission: 'messages:send',
  body: V1Send,
  answer: SendPlanView,
  errors: ['VALIDATION_ERROR'],
  // A preview that reveals facts about its recipient draws from its credential's token bucket.
  uses: { table: 'write', rootKeys: ['content', 'numbers', 'providers', 'push', 'recipients'], liveVolume: true },
});
