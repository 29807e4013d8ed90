import { beginsLink } from '../core/link-position.ts';

/** What placeholders may name: the contact, the event that began a run, and the variables of a run. */
export const ROOTS = ['contact', 'event', 'variable'] as const;
export type Root = (typeof ROOTS)[number];

/** The words of each root; journeys write Portuguese, campaigns English, and both are understood everywhere. */
const ROOT_WORDS: ReadonlyMap<string, Root> = new Map([
  ['contact', 'contact'],
  ['contato', 'contact'],
  ['event', 'event'],
  ['evento', 'event'],
  ['variable', 'variable'],
  ['variables', 'variable'],
  ['variavel', 'variable'],
  ['variaveis', 'variable'],
]);
const CONTACT_FIELDS = new Map([
  ['name', 'name'],
  ['nome', 'name'],
  ['phone', 'phone'],
  ['telefone', 'phone'],
  ['email', 'email'],
  ['externalId', 'externalId'],
] as const satisfies [string, string][]);
const ATTRIBUTE_WORDS: ReadonlySet<string> = new Set(['attributes', 'atributos']);

/** A field of a contact that texts may hold. */
export type ContactField = 'name' | 'phone' | 'email' | 'externalId';

/** A placeholder: what it names, and what stands there if that is missing. */
export interface Placeholder {
  readonly root: Root;
  /** A field of the contact, or the key of an attribute, an event's property or a variable. */
  readonly field?: ContactField | undefined;
  readonly key?: string | undefined;
  readonly fallback?: string | undefined;
  /** As it is written, without braces and fallback word: how a missing value is reported. */
  readonly name: string;
  /** Within a URL: its value is percent-encoded. At the beginning of a link's address in HTML: only a web address may stand there. */
  readonly within?: 'url' | 'link' | undefined;
}

/** A compiled text: what is written as it is, and what is filled in. */
export type Part = string | Placeholder;

/** Why a text does not compile, and where: the index of the braces (UTF-16 units, from 0). */
export interface TemplateFault {
  readonly at: number;
  readonly problem: 'unclosed' | 'unknown_root' | 'unknown_field';
}

const OPEN = '{{';
const CLOSE = '}}';

/** What a name between braces refers to; undefined where the root is unknown. */
const parseName = (name: string): Pick<Placeholder, 'root' | 'field' | 'key'> | TemplateFault['problem'] => {
  const dot = name.indexOf('.');
  const root = ROOT_WORDS.get(dot < 0 ? name : name.slice(0, dot));
  if (root === undefined) return 'unknown_root';
  const key = dot < 0 ? '' : name.slice(dot + 1);
  if (key === '') return 'unknown_field';
  if (root !== 'contact') return { root, key };
  const field = CONTACT_FIELDS.get(key as 'name');
  if (field) return { root, field };
  const next = key.indexOf('.');
  const attribute = next < 0 ? '' : key.slice(next + 1);
  return ATTRIBUTE_WORDS.has(key.slice(0, Math.max(0, next))) && attribute !== ''
    ? { root, key: attribute }
    : 'unknown_field';
};

const parsePlaceholder = (inside: string): Placeholder | TemplateFault['problem'] => {
  if (inside.includes('{') || inside.includes('}')) return 'unclosed';
  const bar = inside.indexOf('|');
  const name = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const parsed = parseName(name);
  if (typeof parsed === 'string') return parsed;
  return { ...parsed, name, ...(bar < 0 ? {} : { fallback: inside.slice(bar + 1).trim() }) };
};

/** What ends a URL in running text or an attribute. */
const URL_END = /[\s"'<>`]/;

/** Follows whether the text so far ends within a URL, and whether a link's address begins there. */
class Position {
  #within = false;

  /** Where a placeholder stands that follows `literal`. */
  after(literal: string): 'url' | 'link' | undefined {
    let end = literal.length;
    while (end > 0 && !URL_END.test(literal.charAt(end - 1))) end--;
    const inUrl = literal.includes('://', end);
    this.#within = inUrl || (end === 0 && this.#within);
    if (this.#within) return 'url';
    this.#within = beginsLink(literal);
    return this.#within ? 'link' : undefined;
  }
}

/**
 * Splits a text at its placeholders, in one pass (docs/spec/personalization.md#placeholders). The first fault refuses it. A text without `{{` is one part.
 * `roots`: what its placeholders may name.
 */
export const compile = (text: string, roots: readonly Root[] = ROOTS): readonly Part[] | TemplateFault => {
  const parts: Part[] = [];
  const position = new Position();
  let from = 0;
  for (let at = text.indexOf(OPEN); at >= 0; at = text.indexOf(OPEN, from)) {
    const close = text.indexOf(CLOSE, at + OPEN.length);
    if (close < 0) return { at, problem: 'unclosed' };
    const parsed = parsePlaceholder(text.slice(at + OPEN.length, close));
    if (typeof parsed === 'string') return { at, problem: parsed };
    if (!roots.includes(parsed.root)) return { at, problem: 'unknown_root' };
    const literal = text.slice(from, at);
    if (literal !== '') parts.push(literal);
    const within = position.after(literal);
    parts.push(within ? { ...parsed, within } : parsed);
    from = close + CLOSE.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
};

/** Whether a text did not compile. */
export const isTemplateFault = (compiled: readonly Part[] | TemplateFault): compiled is TemplateFault =>
  !Array.isArray(compiled);
