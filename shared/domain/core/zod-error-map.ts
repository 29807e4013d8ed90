import type * as z from 'zod';
import type { FieldError } from './errors.ts';

/**
 * A typical field name, in the letters of any script. Callers choose the keys of maps, so any other text (or a long
 * number) may be personal data.
 */
const FIELD_NAME = /^(?!\d{7})[\w\p{L}\p{M}]+$/u;

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

/** The message lists the known fields; the unknown one is named by the path. */
export const unknownFields = (inst: unknown): string => {
  const { shape } =
    (inst as { readonly _zod?: { readonly def?: { readonly shape?: object } } } | undefined)?._zod?.def ?? {};
  const known = Object.keys(shape ?? {});
  return `is not a field of the contract${known.length > 0 ? `, which has ${known.join(', ')}` : ''}`;
};

/**
 * Zod error map for one parse: messages that complete a sentence after the field's name. They state what is expected
 * and never repeat input. Messages set on a schema take precedence; unmapped issues keep zod's.
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
    case 'invalid_key':
      return `has a key that ${issue.issues.map(({ message }) => message).join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : undefined;
    default:
      return undefined;
  }
};

/** Errors listed in one answer, and the bounds of each one's texts. */
const MAX_ERRORS = 20;
const MAX_PATH = 200;
const MAX_MESSAGE = 1_000;

/**
 * An unknown field's name that is a plain word, in the letters of any script. Callers choose it, so any other text may
 * be personal data or a secret.
 */
const PLAIN_NAME = /^[\p{L}\p{M}_]{1,40}$/u;

/** The fields of an issue: for unknown fields, those fields themselves. */
const pathsOf = (issue: z.core.$ZodIssue): readonly PropertyKey[][] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => [...issue.path, PLAIN_NAME.test(key) ? key : '*'])
    : [issue.path];

/**
 * Converts the issues of a parse to the errors of a response: one per field, under `prefix`. Paths never repeat
 * possible personal data.
 */
export const fieldErrors = (error: z.ZodError, prefix: readonly string[] = []): readonly FieldError[] =>
  error.issues
    .flatMap((issue) => pathsOf(issue).map((path) => ({ path, message: issue.message })))
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => ({
      path: [...prefix, ...path.map(safePathPart)].join('.').slice(0, MAX_PATH),
      message: message.slice(0, MAX_MESSAGE),
    }));
