import { escapeHtml } from '../core/escape-html.ts';
import type { ContactField, Part, Placeholder } from './template.ts';

/** A placeholder's value, as stored in attributes, events and variables. */
export type FillValue = string | number | boolean | null | readonly string[] | undefined;
type Values = Readonly<Record<string, FillValue>>;

/** The values for placeholders. Absent ones count as missing. */
export interface Scope {
  readonly contact?:
    | ({ readonly [F in ContactField]?: string | undefined } & { readonly attributes?: Values | undefined })
    | undefined;
  readonly event?: Values | undefined;
  readonly variable?: Values | undefined;
}

/** Where the text goes: as it is, on one line (a subject, the value of a template's variable), or into HTML. */
export type Escape = 'none' | 'line' | 'html';

export interface Filled {
  readonly text: string;
  /** Names of placeholders with neither a value nor a fallback word, in order, without duplicates. */
  readonly missing: readonly string[];
}

// Keeps tabs and line breaks.
const CONTROLS = /(?![\t\n])\p{Cc}/gu;
/** Characters that break a line or change how it reads: controls, separators, bidi overrides; runs of spaces. */
const LINE_BREAKERS = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;
const WEB_ADDRESS = /^https?:\/\//i;

const own = (values: Values | undefined, key: string): FillValue =>
  values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;

const valueFor = ({ root, field, key = '' }: Placeholder, scope: Scope): FillValue => {
  if (root !== 'contact') return own(scope[root], key);
  return field ? scope.contact?.[field] : own(scope.contact?.attributes, key);
};

/** A value as text. Its braces become brackets, so that it can't be read as a placeholder later. */
const textOf = (value: FillValue): string => {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text.replaceAll('{', '(').replaceAll('}', ')').replaceAll(CONTROLS, '');
};

/** `encodeURIComponent` throws on a lone surrogate. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const ESCAPES: Readonly<Record<Escape, (text: string) => string>> = {
  none: (text) => text,
  line: (text) => text.replaceAll(LINE_BREAKERS, ' ').trim(),
  html: escapeHtml,
};

const inserted = (text: string, { within }: Placeholder, into: Escape): string => {
  if (within === 'url') return ESCAPES[into](encoded(text));
  if (within === 'link' && into === 'html' && !WEB_ADDRESS.test(text.trim())) return '';
  return ESCAPES[into](text);
};

/**
 * Fills a compiled text in one pass: values are never read as placeholders. A missing or blank value is replaced by its fallback word, or
 * else by nothing and reported.
 */
export const fill = (
  parts: readonly Part[],
  scope: Scope,
  { escape: into = 'none' }: { readonly escape?: Escape } = {},
): Filled => {
  const missing = new Set<string>();
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    const value = inserted(textOf(valueFor(part, scope)), part, into);
    if (value.trim() !== '') return value;
    if (part.fallback === undefined) missing.add(part.name);
    return inserted(part.fallback ?? '', part, into);
  });
  return { text: texts.join(''), missing: [...missing] };
};
