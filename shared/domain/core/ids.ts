import { createHash } from 'node:crypto';
import { customAlphabet } from 'nanoid';

/**
 * The prefix of every kind of id (docs/spec/platform.md#identifiers). Ids are branded by kind, so that a contact's id cannot be passed as a
 * message's.
 */
export const ID_PREFIXES = {
  account: 'acc',
  activity: 'atv',
  aiTurn: 'ait',
  apiKey: 'key',
  auditEntry: 'aud',
  batch: 'btc',
  campaign: 'cmp',
  card: 'crd',
  cardFile: 'arq',
  company: 'emp',
  contact: 'cnt',
  customerEvent: 'cev',
  debtorGroup: 'grp',
  delivery: 'dlv',
  emailTemplate: 'etpl',
  entry: 'ent',
  event: 'evt',
  exportJob: 'exp',
  flow: 'flw',
  importJob: 'imp',
  instagramAccount: 'iga',
  journey: 'jor',
  list: 'lst',
  message: 'msg',
  number: 'num',
  organization: 'org',
  pipeline: 'pip',
  pushApp: 'app',
  pushDispatch: 'dsp',
  pushToken: 'ptk',
  reply: 'rpl',
  replyParts: 'rpp',
  request: 'req',
  run: 'run',
  segment: 'seg',
  sender: 'snd',
  session: 'ses',
  smppAccount: 'smp',
  smppParts: 'prt',
  stage: 'stg',
  template: 'tpl',
  upload: 'upl',
  webhook: 'wbh',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;
declare const idKind: unique symbol;
/** An id of one kind: `<prefix>_` and 21 characters of [0-9A-Za-z]. */
export type Id<K extends IdKind> = string & { readonly [idKind]: K };

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const random21 = customAlphabet(ALPHABET, 21);
/** `length` cryptographically random base62 characters. */
export const randomBase62 = (length: number): string => customAlphabet(ALPHABET, length)();

/** Creates an id with 125 bits of randomness. */
export const newId = <K extends IdKind>(kind: K): Id<K> => `${ID_PREFIXES[kind]}_${random21()}` as Id<K>;

/** Derives an id from its terms: equal terms give the same id, so a repeat writes the same row. */
export const derivedId = <K extends IdKind>(kind: K, terms: readonly string[]): Id<K> => {
  const bytes = createHash('sha256').update(terms.join('\n')).digest();
  const text = Array.from(bytes.subarray(0, 21), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${ID_PREFIXES[kind]}_${text}` as Id<K>;
};

const PATTERNS = Object.fromEntries(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_[0-9A-Za-z]{21}$`)]),
) as Record<IdKind, RegExp>;

/** The anchored pattern of a kind's ids, for schemas and OpenAPI. */
export const idPattern = (kind: IdKind): RegExp => PATTERNS[kind];

/** Whether `value` is well-formed as an id of that kind. */
export const isId = <K extends IdKind>(kind: K, value: string): value is Id<K> => PATTERNS[kind].test(value);

/** Casts untrusted text to an id, or undefined if malformed: any other text would become a table key of the caller's choice. */
export const asId = <K extends IdKind>(kind: K, text: string | undefined): Id<K> | undefined =>
  text !== undefined && isId(kind, text) ? text : undefined;

/** Casts our own text (a key, a queue message) to an id. Throws a TypeError if it is not one of that kind. */
export const parseId = <K extends IdKind>(kind: K, text: string | undefined): Id<K> => {
  const id = asId(kind, text);
  if (id === undefined) throw new TypeError(`not an id of kind ${kind}`);
  return id;
};
