import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { DURATION, parseDuration } from '../domain/core/duration.ts';
import { PRIORITIES } from '../domain/core/priority.ts';
import { boundedText, dateTime } from './common.ts';
import { sendLabels } from './sends.ts';

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

/** Whether a fallback has at most one content of its own; without any it has the message's. */
export const hasOneContent = (step: { readonly text?: string | undefined; readonly template?: string | undefined }) =>
  step.text === undefined || step.template === undefined;
export const ONE_CONTENT = { message: 'must not be given with template: only one of the two', path: ['text'] };

const Fallback = z
  .union(
    [
      channel,
      z
        .strictObject({
          channel,
          to: to.optional(),
          text: plainText.optional(),
          template: template.optional(),
          variables: variables.optional(),
          after: duration.optional(),
          maxCoins: maxCoins.optional(),
        })
        .refine(hasOneContent, ONE_CONTENT),
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
