import { type Refusal, refuse } from './errors.ts';
import { numberError } from './json-values.ts';
import { safePathPart } from './zod-error-map.ts';

/** Deeper JSON is refused: the parser survives 200,000 levels, but code that walks the value recursively does not. */
const MAX_DEPTH = 64;

const tooDeep = (text: string): boolean => {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inText) {
      if (unit === 0x5c) at++;
      else if (unit === 0x22) inText = false;
    } else if (unit === 0x22) inText = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth++;
      if (depth > MAX_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return false;
};

type Issue = { path: string; message: string };

const textIssue = (text: string): string | undefined => {
  if (text.includes('\u0000')) return 'must not contain NUL';
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode (a surrogate stands alone)';
};

/** Values that no contract allows: numbers that do not round-trip, NUL, lone surrogates; in values and in keys. */
export const findIssue = (value: unknown, path: string): Issue | undefined => {
  if (typeof value === 'string') {
    const message = textIssue(value);
    return message ? { path, message } : undefined;
  }
  if (typeof value === 'number') {
    const message = numberError(value);
    return message ? { path, message } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const badKey = textIssue(key);
    if (badKey) return { path, message: `has a key that ${badKey}` };
    const name = safePathPart(key);
    const issue = findIssue(inner, path ? `${path}.${name}` : name);
    if (issue) return issue;
  }
  return undefined;
};

/** The value without the rows of a field, which are validated one by one. */
const withoutRows = (value: unknown, rowsIn: string | undefined): unknown =>
  rowsIn !== undefined && typeof value === 'object' && value !== null && Array.isArray(Object(value)[rowsIn])
    ? { ...value, [rowsIn]: [] }
    : value;

/**
 * Parses a JSON body. 400 if it is not JSON or too deep, `problem` for values that no contract allows; those in the rows of the field `rowsIn` are left to its
 * schema. Linear in the text.
 */
export const readJson = <N extends 'BAD_REQUEST' | 'VALIDATION_ERROR'>(
  text: string,
  problem: N,
  rowsIn?: string,
): { value: unknown } | Refusal<'BAD_REQUEST' | N> => {
  if (tooDeep(text)) return refuse('BAD_REQUEST', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('BAD_REQUEST', 'The body is not JSON.');
  }
  const issue = findIssue(withoutRows(value, rowsIn), '');
  return issue ? refuse(problem, { detail: 'The body violates the contract.', errors: [issue] }) : { value };
};
