import type { Contact } from '../contacts/contact.ts';
import { foldText } from '../core/fold-text.ts';

/*
 * Contacts are searched by trigrams: a text that contains the search text contains all its trigrams. Shorter searches match the beginnings
 * of words. The index holds only blind indexes of trigrams.
 */

const LENGTH = 3;
/** Marks the beginnings of words, and of a phone's digits. */
const WORD_START = '\u0001';
const PHONE = '\u0002';

const runs = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - LENGTH + 1) }, (_, at) => text.slice(at, at + LENGTH));
/** The first characters of each word of a folded text. */
const wordStarts = (folded: string): string[] =>
  [...folded.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2}/gu)].flatMap(([start]) => [
    WORD_START + start,
    WORD_START + start.slice(0, 1),
  ]);

type Named = Pick<Contact, 'name' | 'whatsappProfileName' | 'email' | 'mergedContacts' | 'phone'>;
const textsOf = ({ name, whatsappProfileName, email }: Named): string[] =>
  [name, whatsappProfileName, email].flatMap((text) => (text === undefined ? [] : [foldText(text)]));
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');
/** The digits of each phone of a contact, including merged ones. */
const phonesOf = ({ phone, mergedContacts = [] }: Named): string[] =>
  [phone, ...mergedContacts.flatMap((merged) => merged.phone ?? [])].map(digitsOf);

/** The trigrams under which a contact is indexed. */
export const gramsOf = (contact: Named): ReadonlySet<string> =>
  new Set([
    ...textsOf(contact).flatMap((text) => [...runs(text), ...wordStarts(text)]),
    ...phonesOf(contact).flatMap((phone) => runs(phone).map((run) => PHONE + run)),
  ]);

/**
 * A search: a text that a name, WhatsApp name or e-mail address contains and, if it can be part of one, the digits that a phone contains.
 */
export interface Search {
  readonly text: string;
  readonly digits?: string | undefined;
}
export const parseSearch = (q: string): Search => {
  const digits = digitsOf(q);
  return { text: foldText(q.trim()), digits: /^[\d\s()+.-]+$/.test(q) && digits.length >= LENGTH ? digits : undefined };
};

/**
 * At most this many trigrams of a text are looked up, spread over it: more would read more columns, and hardly reduce the contacts to
 * compare.
 */
const LOOKED_UP = 5;
const spread = (all: readonly string[]): readonly string[] =>
  all.length <= LOOKED_UP
    ? all
    : Array.from({ length: LOOKED_UP }, (_, at) => all[Math.round((at * (all.length - 1)) / (LOOKED_UP - 1))] ?? '');

/** Alternative sets of trigrams: a matching contact has all of at least one set. */
export const gramsOfSearch = ({ text, digits }: Search): readonly ReadonlySet<string>[] => [
  new Set(text.length < LENGTH ? [WORD_START + text] : spread(runs(text))),
  ...(digits === undefined ? [] : [new Set(spread(runs(digits)).map((run) => PHONE + run))]),
];

/** Whether a contact matches a search. */
export const isFound = ({ text, digits }: Search, contact: Named): boolean =>
  textsOf(contact).some((held) =>
    text.length < LENGTH ? wordStarts(held).includes(WORD_START + text) : held.includes(text),
  ) ||
  (digits !== undefined && phonesOf(contact).some((phone) => phone.includes(digits)));
