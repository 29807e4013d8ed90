import type * as z from 'zod';
import type { Tenant } from './actor.ts';
import { type Refusal, refuse } from './errors.ts';
import type { Vault } from './secrets.ts';

/** The position after the last item of a page: any small JSON value. */
export type CursorPosition =
  | string
  | number
  | boolean
  | null
  | readonly CursorPosition[]
  | { readonly [key: string]: CursorPosition };

/** The scope of a cursor, which is rejected in any other (docs/spec/platform.md#cursors). */
export interface CursorScope extends Tenant {
  /** The operation and its filters. Field order doesn't matter; absent and undefined fields are equal. */
  readonly query: Readonly<Record<string, unknown>>;
}

/** The cursor of a list request, and the scope in which it must have been issued. */
export interface GivenCursor {
  readonly vault: Vault;
  /** The same for every page of a list. Excludes the page size, which may change between pages. */
  readonly scope: CursorScope;
  /** From the previous page's answer; undefined for the first page. */
  readonly cursor: string | undefined;
}
/** A page of a list that pages by cursor; without `nextCursor` the list ended. */
export interface CursorItems<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

const PURPOSE = 'cursor';
/** Far above any position that we encode. Longer input is rejected before any work. */
const MAX_CURSOR_LENGTH = 4_096;
/** HMAC-SHA256 in base64url. */
const SIGNATURE_LENGTH = 43;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Sorts fields, and tags lists and objects so that one cannot be mistaken for the other. */
const canonicalForm = (value: unknown): unknown => {
  if (Array.isArray(value)) return ['list', ...value.map(canonicalForm)];
  if (value instanceof Date || typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return ['fields', ...fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonicalForm(inner)])];
};

const signedText = ({ organizationId, env, query }: CursorScope, position: string): string =>
  JSON.stringify([organizationId, env, canonicalForm(query), position]);

/**
 * Encodes a position as an opaque cursor: base64url, with an HMAC over organization, environment and query. The position is readable by the
 * caller, so it must hold no personal data. Throws a RangeError if the position is too large.
 */
export const encodeCursor = (vault: Vault, scope: CursorScope, position: CursorPosition): string => {
  const body = Buffer.from(JSON.stringify(position)).toString('base64url');
  const cursor = vault.sign(PURPOSE, signedText(scope, body)) + body;
  if (cursor.length > MAX_CURSOR_LENGTH) throw new RangeError('the position is too large for a cursor');
  return cursor;
};

/** Decodes a cursor; undefined if it was altered or issued for another organization, environment or query. */
export const decodeCursor = (vault: Vault, scope: CursorScope, cursor: string): CursorPosition | undefined => {
  if (cursor.length <= SIGNATURE_LENGTH || cursor.length > MAX_CURSOR_LENGTH || !BASE64URL.test(cursor))
    return undefined;
  const body = cursor.slice(SIGNATURE_LENGTH);
  if (!vault.verify(PURPOSE, signedText(scope, body), cursor.slice(0, SIGNATURE_LENGTH))) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as CursorPosition;
};

/**
 * The position of a given cursor; undefined for the first page. 400 for a cursor that was not issued by us, was changed, or belongs to another
 * organization, environment or query (docs/spec/reliability.md#tampered-cursors).
 */
export const openCursor = <S extends z.ZodType>(
  position: S,
  { vault, scope, cursor }: GivenCursor,
): z.output<S> | undefined | Refusal<'BAD_REQUEST'> => {
  if (cursor === undefined) return undefined;
  const parsed = position.safeParse(decodeCursor(vault, scope, cursor));
  if (parsed.success) return parsed.data;
  return refuse('BAD_REQUEST', {
    detail: 'The cursor is not valid.',
    errors: [{ path: 'cursor', message: 'is not a cursor of this list' }],
  });
};
