import type * as z from 'zod';

/** A typical field name. Keys of maps are chosen by the caller, so any other text (or a long number) may be personal data. */
const FIELD_NAME = /^(?!\d{7})\w+$/;

/** A segment of an error path, replaced by `*` if it might be personal data. */
export const safePathPart = (part: PropertyKey): string => (FIELD_NAME.test(String(part)) ? String(part) : '*');

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a date and time in ISO 8601 with its offset, such as 2026-03-02T14:05:09Z',
  date: 'a date as YYYY-MM-DD',
  email: 'an e-mail address',
  url: 'an address',
};
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

const bound = (most: 'at least' | 'at most', origin: string, value: number | bigint, exact: boolean | undefined) =>
  `must ${UNITS[origin] ? 'have' : 'be'} ${exact ? 'exactly' : most} ${value}${UNITS[origin] ?? ''}`;

/** Unknown field names may be personal data too, so the message lists the known fields instead. */
const unknownFields = (inst: unknown): string => {
  const { shape } =
    (inst as { readonly _zod?: { readonly def?: { readonly shape?: object } } } | undefined)?._zod?.def ?? {};
  const known = Object.keys(shape ?? {});
  return `has fields that the contract does not know${known.length > 0 ? `; it knows ${known.join(', ')}` : ''}`;
};

/**
 * Zod error map for one parse: messages that complete a sentence after the field's name. They tell what is expected and never repeat input.
 * Messages set on a schema take precedence; unmapped issues keep zod's.
 */
export const zodErrorMap: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return TYPES[issue.expected] ? `must be ${TYPES[issue.expected]}` : undefined;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'unrecognized_keys':
      return unknownFields(issue.inst);
    case 'too_small':
      return issue.inclusive === false ? undefined : bound('at least', issue.origin, issue.minimum, issue.exact);
    case 'too_big':
      return issue.inclusive === false ? undefined : bound('at most', issue.origin, issue.maximum, issue.exact);
    case 'invalid_format':
      return FORMATS[issue.format] ? `must be ${FORMATS[issue.format]}` : undefined;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : undefined;
    default:
      return undefined;
  }
};
