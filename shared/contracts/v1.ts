import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { DURATION, parseDuration } from '../domain/core/duration.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { PRIORITIES } from '../domain/core/priority.ts';
import { boundedText, coins, count, dateTime, environment, flag, openObject, part, text } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { QUEUED_SEND, sendLabels } from './sends.ts';

/** Limits of a fallback's wait, in ms. */
const FALLBACK_WAIT_MS = { min: 10_000, max: 72 * 3600_000 } as const;

const waitMs = (text: string): number => parseDuration(text) ?? 0;
const waitPattern = z.string().regex(DURATION, 'must be a whole number and its unit: 30s, 10m, 2h');
const isWait = (ms: number): boolean => ms >= FALLBACK_WAIT_MS.min && ms <= FALLBACK_WAIT_MS.max;
const WAIT_BOUNDS = 'must be between 10s and 72h';
const waitMeta = { description: 'A whole number with its unit: `30s`, `10m`, `2h`; from 10s to 72h.', example: '10m' };

/** A number with a unit (`30s`, `10m`, `2h`) as it is written; and parsed to ms: docs/spec/v1.md#request. */
export const waitText = waitPattern.refine((text) => isWait(waitMs(text)), WAIT_BOUNDS).meta(waitMeta);
const duration = waitPattern.transform(waitMs).refine(isWait, WAIT_BOUNDS).meta(waitMeta);

export const channel = z.enum(CHANNELS).meta({ description: 'The channel of the message.', example: 'sms' });
// An empty recipient is left to the channel's rule, which rejects it like any other invalid one.
export const to = z.string().max(4_096).meta({
  description: "The recipient in the channel's own format: E.164, an e-mail address, a user's id.",
  example: '+5511999990005',
});
export const template = boundedText(
  512,
  "A template, by its id or name: an approved one on WhatsApp, a saved one of `/v2/email/templates` on e-mail. On sms, rcs, push and instagram the body of the WhatsApp template is sent as text, with its variables filled; 422 if the organization has no template of this name. A test key accepts any name on these channels and sends it with its values, like the sandbox's WhatsApp.",
  'pedido_enviado',
);
export const variables = z
  .record(z.string().min(1).max(64), z.union([z.string().max(4_096), z.number(), z.boolean()]))
  .meta({
    description:
      'Named template variables. With the text or the filled template they are at most 256,000 bytes of UTF-8; those of all fallbacks together, too.',
    example: { nome: 'Ana' },
  });
export const plainText = boundedText(
  10_000,
  'The text; either this or a template is required.',
  'Seu pedido saiu para entrega.',
);
export const maxCoins = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .meta({ description: 'It is not sent if it would cost more coins than this.', example: 2_000 });

const Fallback = z
  .union(
    [
      channel,
      z.strictObject({
        channel,
        to: to.optional(),
        text: plainText.optional(),
        template: template.optional(),
        variables: variables.optional(),
        after: duration.optional(),
        maxCoins: maxCoins.optional(),
      }),
    ],
    { error: `must be one of ${CHANNELS.join(', ')}, or an object with such a channel` },
  )
  .meta({
    id: 'Fallback',
    description:
      "A send that is tried if the one before did not deliver: a channel, or a channel with its own recipient, content, wait and price limit. Omitted fields are the message's own; a recipient of another format is taken from the contact.",
  });

/** The body of a send: docs/spec/v1.md#request. */
export const V1Send = z
  .strictObject({
    channel,
    to,
    text: plainText.optional(),
    template: template.optional(),
    variables: variables.optional(),
    fallback: z.array(Fallback).min(1).max(5).optional().meta({ description: 'Fallbacks, tried in order: at most 5.' }),
    fallback_after: duration.optional(),
    maxCoins: maxCoins.optional(),
    ...sendLabels,
    priority: z.enum(PRIORITIES).optional().meta({ description: 'The priority of the message.', example: 'normal' }),
    scheduledAt: dateTime('When to send it; now when absent or past. At most 90 days ahead.').optional(),
  })
  .refine(({ text: said, template: saved }) => (said === undefined) !== (saved === undefined), {
    message: 'must be given, or template: exactly one of the two',
    path: ['text'],
  })
  .meta({ id: 'V1Send', description: 'A message on any channel, with its fallbacks.' });

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
