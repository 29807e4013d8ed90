import { createHash } from 'node:crypto';
import { customAlphabet } from 'nanoid';

/**
 * Every identifier's prefix, in one table (interface, part 1: prefix + 21 random characters).
 * A branded type per row keeps a contact's id from being passed where a message's is meant.
 */
export const ID_PREFIXES = {
  account: 'acc',
  apiKey: 'key',
  batch: 'btc',
  contact: 'cnt',
  delivery: 'dlv',
  emailTemplate: 'etpl',
  entry: 'ent',
  event: 'evt',
  flow: 'flw',
  message: 'msg',
  number: 'num',
  organization: 'org',
  pushApp: 'app',
  pushDispatch: 'dsp',
  pushToken: 'ptk',
  reply: 'rpl',
  request: 'req',
  session: 'ses',
  template: 'tpl',
  upload: 'upl',
  webhook: 'wbh',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;
declare const idKind: unique symbol;
/** An identifier of one kind: `<prefix>_` + 21 characters of [0-9A-Za-z]. */
export type Id<K extends IdKind> = string & { readonly [idKind]: K };

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const random21 = customAlphabet(ALPHABET, 21);
/** `length` random base62 characters from the system's secure source. */
export const randomBase62 = (length: number): string => customAlphabet(ALPHABET, length)();

/** A fresh identifier of the kind: 125 bits of randomness, so that two never meet. */
export const newId = <K extends IdKind>(kind: K): Id<K> => `${ID_PREFIXES[kind]}_${random21()}` as Id<K>;

/** The identifier that the same terms always have, so that what comes twice is one row. */
export const derivedId = <K extends IdKind>(kind: K, terms: readonly string[]): Id<K> => {
  const bytes = createHash('sha256').update(terms.join('\n')).digest();
  const text = Array.from(bytes.subarray(0, 21), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${ID_PREFIXES[kind]}_${text}` as Id<K>;
};

/** The pattern of a kind's identifiers, anchored, for schemas and OpenAPI. */
export const idPattern = (kind: IdKind): RegExp => new RegExp(`^${ID_PREFIXES[kind]}_[0-9A-Za-z]{21}$`);

/** Whether `value` has the shape of that kind's identifier. */
export const isId = <K extends IdKind>(kind: K, value: string): value is Id<K> => idPattern(kind).test(value);
