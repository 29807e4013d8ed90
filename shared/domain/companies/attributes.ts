import type { FieldError } from '../core/errors.ts';
import { isOfUsualYears, parseDayOrMoment } from '../core/time.ts';
import type { AttributeDefinition, CompanyAttributes } from './company.ts';

/** Max. size of a company's attributes as JSON, in bytes: a page of 100 companies fits into one response. */
const MAX_ATTRIBUTES_BYTES = 32 * 1024;

/** A day of the calendar, or a moment of ISO 8601 with its offset. */
const isDate = (value: string): boolean => {
  const ms = parseDayOrMoment(value);
  return ms !== undefined && isOfUsualYears(ms);
};

type Value = CompanyAttributes[string];
const FITS: Readonly<Record<AttributeDefinition['type'], (value: Value) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isDate(value),
};
const EXPECTED: Readonly<Record<AttributeDefinition['type'], string>> = {
  string: 'must be text',
  number: 'must be a number',
  boolean: 'must be true or false',
  date: 'must be a day as YYYY-MM-DD, or a time of ISO 8601',
};

const valueUnder = (attributes: CompanyAttributes | undefined, key: string): Value | undefined =>
  attributes && Object.hasOwn(attributes, key) ? (attributes[key] ?? undefined) : undefined;

/** Whether a company has a value under a key. Null, a blank text and an empty list don't count. */
export const holdsValue = (attributes: CompanyAttributes | undefined, key: string): boolean => {
  const value = valueUnder(attributes, key);
  if (typeof value === 'string') return value.trim() !== '';
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
};

/**
 * The errors in a company's attributes: defined ones must have their type, required ones a value. Others are free. Messages repeat no
 * value.
 */
export const attributeErrors = (
  definitions: readonly AttributeDefinition[],
  attributes: CompanyAttributes | undefined,
): FieldError[] => {
  if (Buffer.byteLength(JSON.stringify(attributes ?? {})) > MAX_ATTRIBUTES_BYTES)
    return [{ path: 'atributos', message: `must take at most ${MAX_ATTRIBUTES_BYTES} bytes as JSON` }];
  return definitions.flatMap(({ key, type, required }) => {
    const path = `atributos.${key}`;
    const value = valueUnder(attributes, key);
    if (required && !holdsValue(attributes, key)) return [{ path, message: 'is required' }];
    return value === undefined || FITS[type](value) ? [] : [{ path, message: EXPECTED[type] }];
  });
};
