import * as z from 'zod';
import { fieldErrors, zodErrorMap } from '../core/zod-error-map.ts';

/** UTF-8 bytes of a payload as JSON; well below DynamoDB's 400 KB per item. */
const MAX_BYTES = 128 * 1024;
/** Why a JSON value would not be read back as it was sent; inexact numbers are already refused when the body is parsed. */
const faultOf = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return 'must not have the key __proto__';
  for (const inner of Object.values(value)) {
    const fault = faultOf(inner);
    if (fault) return fault;
  }
  return undefined;
};

/** A payload that can be stored. Its shape depends on type and channel and is checked later (docs/spec/messages.md#payload-by-type). */
export const payloadSchema = z
  .preprocess(
    (input, context) => {
      const fault =
        faultOf(input) ?? (Buffer.byteLength(JSON.stringify(input) ?? '') > MAX_BYTES ? 'is too long' : undefined);
      if (fault === undefined) return input;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    },
    z.record(z.string(), z.unknown()),
  )
  .meta({
    description:
      'The content, by type: text `{text}`; media `{media: {kind, id, caption?, filename?, voice?}}`; template `{template: {name, language}}`; interactive `{interactive}`; on e-mail `{email: {subject, html?, text?}}`. At most 128 KB.',
    example: { text: 'Seu pedido saiu para entrega.' },
  });

/** A validation error of a payload; `path` is dotted, under `payload`. */
export interface PayloadFault {
  readonly path: string;
  readonly message: string;
}

/** The validation errors of a payload against a schema; empty when it is valid. */
export const payloadFaults = (form: z.ZodType, payload: unknown): readonly PayloadFault[] => {
  const { error } = form.safeParse(payload, { error: zodErrorMap });
  return error ? fieldErrors(error, ['payload']) : [];
};
