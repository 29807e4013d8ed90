import type { Environment } from './actor.ts';
import type { Vault } from './secrets.ts';

/** Where a page ended: any small JSON value. */
export type CursorPosition =
  | string
  | number
  | boolean
  | null
  | readonly CursorPosition[]
  | { readonly [key: string]: CursorPosition };

/** What a cursor belongs to; it opens nothing else (reliability: tampered cursor). */
export interface CursorScope {
  readonly organizationId: string;
  readonly env: Environment;
  /** The operation and its filters. The order of fields does not matter, and an absent field is the same as an undefined one. */
  readonly query: Readonly<Record<string, unknown>>;
}

const PURPOSE = 'cursor';
/** No position that we encode comes near it; a longer text is refused before any work. */
const LONGEST = 4_096;
/** HMAC-SHA256 in base64url. */
const SIGNATURE_LENGTH = 43;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** A value with its fields in order; lists and objects are marked, so that neither is taken for the other. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return ['list', ...value.map(ordered)];
  if (value instanceof Date || typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return ['fields', ...fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, ordered(inner)])];
};

const signed = ({ organizationId, env, query }: CursorScope, position: string): string =>
  JSON.stringify([organizationId, env, ordered(query), position]);

/**
 * A cursor as the caller holds it: base64url, authenticated over organization, environment and query. Its position is not hidden, so
 * it must hold no personal data. Throws a RangeError when the position is too large to come back.
 */
export const encodeCursor = (vault: Vault, scope: CursorScope, position: CursorPosition): string => {
  const body = Buffer.from(JSON.stringify(position)).toString('base64url');
  const cursor = vault.sign(PURPOSE, signed(scope, body)) + body;
  if (cursor.length > LONGEST) throw new RangeError('the position is too large for a cursor');
  return cursor;
};

/** The position of a cursor, or undefined when it was altered or belongs to another organization, environment or query. */
export const decodeCursor = (vault: Vault, scope: CursorScope, cursor: string): CursorPosition | undefined => {
  if (cursor.length <= SIGNATURE_LENGTH || cursor.length > LONGEST || !BASE64URL.test(cursor)) return undefined;
  const body = cursor.slice(SIGNATURE_LENGTH);
  if (!vault.verify(PURPOSE, signed(scope, body), cursor.slice(0, SIGNATURE_LENGTH))) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as CursorPosition;
};
