import * as z from 'zod';
import { issueWords } from '../issue-words.ts';
import { PLATFORM_FORMS } from '../platforms/forms.ts';
import { PUSH_FORM } from '../push/form.ts';
import type { MessageType } from './message.ts';
import type { Channel } from './provider.ts';

const object = z.record(z.string(), z.unknown());
const text = z.strictObject({ text: z.string().min(1).max(10_000) });
/** A text or a card, and the SMS for devices without RCS; what stands inside is checked as the channel's own send checks it. */
const rcs = z
  .strictObject({ text: z.string().min(1).optional(), card: object.optional(), fallback: object.optional() })
  .refine(({ text: said, card }) => (said === undefined) !== (card === undefined), 'must be either text or card');
/** Subject and body; checked as the channel's own send checks them. */
const email = z.strictObject({ email: object });

/** What a channel's payload is, whatever its type. */
const FORMS = { sms: text, rcs, email, push: PUSH_FORM } as const;

const formOf = (channel: Channel, type: MessageType): z.ZodType =>
  channel === 'whatsapp' || channel === 'instagram' ? PLATFORM_FORMS[channel][type] : FORMS[channel];

/** What a payload lacks to be one of its channel and type, under `payload`; none when it is whole. */
export const payloadFaults = (
  channel: Channel,
  type: MessageType,
  payload: unknown,
): readonly { readonly path: string; readonly message: string }[] => {
  const parsed = formOf(channel, type).safeParse(payload, { error: issueWords });
  if (parsed.success) return [];
  return parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    path: ['payload', ...path.map((part) => String(part))].join('.'),
    message,
  }));
};
