import { beginsLink } from '../core/link-position.ts';

/** The roots of placeholders: the contact, the event that started a run, and the variables of a run. */
export const ROOTS = ['contact', 'event', 'variable'] as const;
export type Root = (typeof ROOTS)[number];

/** Names of the roots; journeys use Portuguese, campaigns English, and both are accepted everywhere. */
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

/** A contact field that placeholders can use. */
export type ContactField = 'name' | 'phone' | 'email' | 'externalId';

/** A placeholder: its reference, and the fallback word. */
export interface Placeholder {
  readonly root: Root;
  /** A field of the contact, or the key of an attribute, an event's property or a variable. */
  readonly field?: ContactField | undefined;
  readonly key?: string | undefined;
  readonly fallback?: string | undefined;
  /** As written, without braces and fallback word: reported if its value is missing. */
  readonly name: string;
  /**
   * `url`: within a URL, where the value is percent-encoded. `link`: at the start of a link's address in HTML, where only a web address is
   * allowed.
   */
  readonly within?: 'url' | 'link' | undefined;
}

/** A part of a compiled text: literal text, or a placeholder. */
export type Part = string | Placeholder;

/** Why and where a text does not compile: the index of the braces (UTF-16 units, from 0). */
export interface TemplateFault {
  readonly at: number;
  readonly problem: 'unclosed' | 'unknown_root' | 'unknown_field';
}

const OPEN = '{{';
const CLOSE = '}}';

/** Parses the name between braces; undefined if the root is unknown. */
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

/** Characters that end a URL in running text or an attribute. */
const URL_END = /[\s"'<>`]/;

/** Tracks whether the text so far ends within a URL, or where a link's address starts. */
class Position {
  #within = false;

  /** The context of a placeholder that follows `literal`. */
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
 * Splits a text at its placeholders, in one pass (docs/spec/personalization.md#placeholders). The first fault rejects the text. A text
 * without `{{` is one part. `roots`: the allowed roots.
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
