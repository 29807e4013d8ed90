import * as z from 'zod';

/** Limits of correlation metadata (docs/spec/platform.md#correlation-metadata). */
const METADATA = { keys: 20, keyLength: 64, textLength: 256 } as const;
/** Limits of a contact's attributes, as wide as a DynamoDB item allows (docs/spec/contacts.md#attributes-and-tags). */
const ATTRIBUTES = { keys: 100, keyLength: 64, textLength: 1_024, listLength: 50, listTextLength: 256 } as const;

// A trailing line break cannot match: without the m flag, `$` is the end of the text.
const METADATA_KEY = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** The smallest magnitude that a DynamoDB number can store. */
const MIN_MAGNITUDE = 1e-130;
/** The largest magnitude that a DynamoDB number can store. */
const MAX_MAGNITUDE = 9.99e125;

/** Why a number would not round-trip: DynamoDB cannot store it, or it is an integer beyond 2^53 that JSON parsing already rounded. */
export const numberError = (value: number): string | undefined => {
  if (value !== 0 && !(Math.abs(value) >= MIN_MAGNITUDE && Math.abs(value) <= MAX_MAGNITUDE))
    return 'is too small or too large a number';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? 'must be within ±9007199254740991 when whole'
    : undefined;
};

const exactNumber = z
  .number()
  .refine((value) => numberError(value) === undefined, 'cannot be stored exactly as it was sent');

/** Checks the raw keys, since copying a record silently drops `__proto__`. */
const keyError = (value: unknown, max: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return 'must not have the key __proto__';
  return Object.keys(value).length > max ? `must have at most ${max} keys` : undefined;
};

/** A record whose keys are counted and checked before zod copies it. OpenAPI shows the plain record. */
const recordOf = <K extends z.ZodString, V extends z.ZodType>(key: K, value: V, keys: number) =>
  z.preprocess(
    (input, context) => {
      const message = keyError(input, keys);
      if (message === undefined) return input;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    },
    z.record(key, value).meta({ maxProperties: keys }),
  );

const metadataKey = z
  .string()
  .max(METADATA.keyLength)
  .regex(METADATA_KEY, 'must start with a letter and use only A-Z, a-z, 0-9, _, . and -');
const metadataValue = z.union([z.string().max(METADATA.textLength), exactNumber, z.boolean()], {
  error: `must be text of at most ${METADATA.textLength} characters, a number or a boolean`,
});

/** Correlation metadata, returned unchanged in every webhook of the message. */
export const metadataSchema = recordOf(metadataKey, metadataValue, METADATA.keys).meta({
  description:
    'Correlation metadata, returned unchanged in every webhook of the message: at most 20 keys of letters, digits, `_`, `.` and `-` beginning with a letter, at most 64 characters each; values are text of at most 256 characters, numbers or booleans. No personal data.',
  example: { orderId: 'A-1042', attempt: 1, vip: true },
});

/** A key and a value of a contact's attributes. */
export const attributeKey = z
  .string()
  .min(1)
  .max(ATTRIBUTES.keyLength)
  .regex(/^[^\p{Cc}]+$/u, 'must not contain control characters');
export const attributeValue = z.union(
  [
    z.string().max(ATTRIBUTES.textLength),
    exactNumber,
    z.boolean(),
    z.null(),
    z.array(z.string().max(ATTRIBUTES.listTextLength)).max(ATTRIBUTES.listLength),
  ],
  {
    error: `must be text of at most ${ATTRIBUTES.textLength} characters, a number, a boolean, null, or a list of at most ${ATTRIBUTES.listLength} texts of at most ${ATTRIBUTES.listTextLength} characters`,
  },
);

/** A contact's attributes; no nested objects (docs/spec/contacts.md#attributes-and-tags). */
export const contactAttributesSchema = recordOf(attributeKey, attributeValue, ATTRIBUTES.keys).meta({
  description:
    'Free attributes, at most 100: text of at most 1,024 characters, a number, a boolean, null, or a list of at most 50 texts of at most 256 characters each. No nested objects.',
  example: { plano: 'ouro', compras: 12, ativo: true, interesses: ['corrida', 'trilha'] },
});
export type ContactAttributes = z.output<typeof contactAttributesSchema>;
