import type { Contact } from '../contacts/contact.ts';
import { foldText } from '../core/fold-text.ts';

/*
 * Contacts are searched for by runs of three characters (trigrams): a text that contains what is searched for contains all of its trigrams. Shorter
 * searches find beginnings of words. The index holds blind indexes of trigrams only.
 */

const LENGTH = 3;
/** Stands before the beginnings of words, and before digits of a phone. */
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
/** The digits of each phone that leads to a contact. */
const phonesOf = ({ phone, mergedContacts = [] }: Named): string[] =>
  [phone, ...mergedContacts.flatMap((merged) => merged.phone ?? [])].map(digitsOf);

/** What a contact is found by. */
export const gramsOf = (contact: Named): ReadonlySet<string> =>
  new Set([
    ...textsOf(contact).flatMap((text) => [...runs(text), ...wordStarts(text)]),
    ...phonesOf(contact).flatMap((phone) => runs(phone).map((run) => PHONE + run)),
  ]);

/** A search: what a name, WhatsApp name or e-mail address contains; and, of a text that can be one, the digits that a phone contains. */
export interface Search {
  readonly text: string;
  readonly digits?: string | undefined;
}
export const parseSearch = (q: string): Search => {
  const digits = digitsOf(q);
  return { text: foldText(q.trim()), digits: /^[\d\s()+.-]+$/.test(q) && digits.length >= LENGTH ? digits : undefined };
};

/** So many trigrams of a text are looked up, spread over it: more would read more columns, and hardly leave fewer contacts to compare. */
const LOOKED_UP = 5;
const spread = (all: readonly string[]): readonly string[] =>
  all.length <= LOOKED_UP
    ? all
    : Array.from({ length: LOOKED_UP }, (_, at) => all[Math.round((at * (all.length - 1)) / (LOOKED_UP - 1))] ?? '');

/** Sets of trigrams: a contact that is searched for has all of one of them. */
export const gramsOfSearch = ({ text, digits }: Search): readonly ReadonlySet<string>[] => [
  new Set(text.length < LENGTH ? [WORD_START + text] : spread(runs(text))),
  ...(digits === undefined ? [] : [new Set(spread(runs(digits)).map((run) => PHONE + run))]),
];

/** Whether a contact is what is searched for. */
export const isFound = ({ text, digits }: Search, contact: Named): boolean =>
  textsOf(contact).some((held) =>
    text.length < LENGTH ? wordStarts(held).includes(WORD_START + text) : held.includes(text),
  ) ||
  (digits !== undefined && phonesOf(contact).some((phone) => phone.includes(digits)));
