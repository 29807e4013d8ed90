import type { Tenant } from './actor.ts';
import type { Vault } from './secrets.ts';

/** The position after the last item of a page: any small JSON value. */
export type CursorPosition =
  | string
  | number
  | boolean
  | null
  | readonly CursorPosition[]
  | { readonly [key: string]: CursorPosition };

/** What a cursor is bound to. A cursor is rejected in any other scope (docs/spec/platform.md#cursors). */
export interface CursorScope extends Tenant {
  /** The operation and its filters. Field order doesn't matter; absent and undefined fields are equal. */
  readonly query: Readonly<Record<string, unknown>>;
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
