/** A variable's value as a send gives it. */
export type TemplateValue = string | number | boolean;
/** A variable that a template declares. */
export interface TemplateVariable {
  readonly name: string;
  /** What stands in its place when a send does not give it. */
  readonly example?: string | undefined;
  readonly description?: string | undefined;
}

/** Names of variables, anchored. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Where a value comes to stand: html escapes it, a line (subject) takes no control characters, text keeps its line breaks. */
export type TemplatePart = 'html' | 'line' | 'text';

/** A piece of a template: text as it stands, or a placeholder. `name` is undefined where what stands between the braces is no name. */
interface Piece {
  readonly text: string;
  readonly placeholder?: { readonly name: string | undefined; readonly at: number };
}

const past = (source: string, from: number, character: string): number => {
  let at = from;
  while (source[at] === character) at++;
  return at;
};

/** Cuts a template at its placeholders, in one pass. Any number of braces from two on is one placeholder: none is a way around escaping. */
const pieces = (source: string): Piece[] => {
  const found: Piece[] = [];
  let at = 0;
  for (let open = source.indexOf('{{'); open >= 0; open = source.indexOf('{{', at)) {
    found.push({ text: source.slice(at, open) });
    const inner = past(source, open, '{');
    const close = source.indexOf('}}', inner);
    if (close < 0) {
      // Nothing after it closes a placeholder either: the rest is text, but for the braces that would look like one.
      found.push({ text: source.slice(inner).replaceAll(/\{{2,}/g, ''), placeholder: { name: undefined, at: open } });
      return found;
    }
    const words = source.slice(inner, close).trim();
    found.push({ text: '', placeholder: { name: VARIABLE_NAME.test(words) ? words : undefined, at: open } });
    at = past(source, close, '}');
  }
  found.push({ text: source.slice(at) });
  return found;
};

/** The names of a template's placeholders, each once, in order. */
export const placeholderNames = (source: string): string[] => [
  ...new Set(pieces(source).flatMap(({ placeholder }) => placeholder?.name ?? [])),
];

/** The line (from 1) of the first placeholder that holds no name or is not closed; undefined when there is none. */
export const badPlaceholderLine = (source: string): number | undefined => {
  const bad = pieces(source).find(({ placeholder }) => placeholder && placeholder.name === undefined);
  if (!bad?.placeholder) return undefined;
  return source.slice(0, bad.placeholder.at).split('\n').length;
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '=': '&#61;',
};
/** A value as it stands in html, in an element or an attribute, quoted or not. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"'`=]/g, (character) => ESCAPES[character] ?? '');

const LINE_CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
// Tabs and line breaks stay.
const TEXT_CONTROLS = /(?![\t\n])\p{Cc}/gu;
const CLEAN: Readonly<Record<TemplatePart, (value: string) => string>> = {
  html: (value) => escapeHtml(value.replaceAll(TEXT_CONTROLS, '')),
  line: (value) => value.replaceAll(LINE_CONTROLS, ''),
  text: (value) => value.replaceAll(TEXT_CONTROLS, ''),
};

/** What placeholders are filled from. */
export interface TemplateData {
  readonly declared: readonly TemplateVariable[];
  readonly given: Readonly<Record<string, TemplateValue>>;
}

/** What stands in a placeholder's place: what the send gives, else the declared example, else nothing. */
const standIn = (name: string, { declared, given }: TemplateData): string =>
  Object.hasOwn(given, name)
    ? String(given[name])
    : (declared.find((variable) => variable.name === name)?.example ?? '');

/**
 * A template's text with its placeholders filled. Values are not read for placeholders again, and no placeholder is left over: one that
 * is not declared, not given or holds no name leaves nothing. Undefined when the result would have more than `most` characters.
 */
export const fill = (source: string, part: TemplatePart, data: TemplateData, most: number): string | undefined => {
  const values = new Map<string, string>();
  const out: string[] = [];
  let length = 0;
  for (const { text, placeholder } of pieces(source)) {
    let piece = text;
    if (placeholder?.name !== undefined) {
      const { name } = placeholder;
      const held = values.get(name) ?? CLEAN[part](standIn(name, data));
      values.set(name, held);
      piece = held;
    }
    length += piece.length;
    if (length > most) return undefined;
    out.push(piece);
  }
  return out.join('');
};
