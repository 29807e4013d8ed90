import type * as z from 'zod';
import { type Refusal, refuse } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';
import { fieldErrors, zodErrorMap } from '../core/zod-error-map.ts';
import type { SendEnvelope, SendRequest } from './send-request.ts';

/** Refusal of a send request without a text on a channel that needs one. */
export const NO_TEXT = refuseField('The payload has no text.', 'payload.text', 'must be a text');

/** Positional template variables, keyed "1", "2", … as WhatsApp numbers them. */
export const byPosition = (vars: readonly string[]): Record<string, string> =>
  Object.fromEntries(vars.map((value, at) => [String(at + 1), value]));

/** The text of a send request, from `text` or the payload. */
export const requestText = ({ text, payload }: SendRequest): unknown => text ?? payload?.text;

/** The field of a send request that contains its text: the template's, if it has one. */
export const textField = ({ text, template }: SendRequest): string => {
  if (template !== undefined) return 'template';
  return text === undefined ? 'payload.text' : 'text';
};

/**
 * Parses a send request with the schema of the channel's own operation, so that both follow the same rules; 422 if it
 * is invalid.
 */
export const toChannelRequest = <S extends z.ZodType<object>>(
  schema: S,
  { to, contactId, campaignId, metadata }: SendEnvelope,
  content: object,
): (z.output<S> & SendEnvelope) | Refusal<'VALIDATION_ERROR'> => {
  const parsed = schema.safeParse({ to, ...content }, { error: zodErrorMap });
  if (parsed.success) return { ...parsed.data, to, contactId, campaignId, metadata };
  return refuse('VALIDATION_ERROR', {
    detail: 'The message violates the contract of its channel.',
    errors: fieldErrors(parsed.error),
  });
};
