import { escapeHtml } from '../../core/escape-html.ts';
import { beginsLink, isScriptAddress } from '../../core/link-position.ts';

/** The value of a variable in a send. */
export type TemplateValue = string | number | boolean;
/** A variable declared by a template. */
export interface TemplateVariable {
  readonly name: string;
  /** The value if a send omits the variable. */
  readonly example?: string | undefined;
  readonly description?: string | undefined;
}

/** Anchored pattern of variable names. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Where a value is inserted: html is escaped, a line (subject) takes no control characters, text keeps line breaks. */
export type EscapeContext = 'html' | 'line' | 'text';

/** A token of a template: literal text or a placeholder. `name` is undefined if the braces contain no valid name. */
interface Token {
  readonly text: string;
  readonly placeholder?: { readonly name: string | undefined; readonly at: number };
}

const skipRun = (source: string, from: number, character: string): number => {
  let at = from;
  while (source[at] === character) at++;
  return at;
};

/**
 * Splits a template at its placeholders in one pass. Any run of two or more braces delimits one placeholder, so triple braces cannot bypass
 * escaping.
 */
const tokenize = (source: string): Token[] => {
  const found: Token[] = [];
  let at = 0;
  for (let open = source.indexOf('{{'); open >= 0; open = source.indexOf('{{', at)) {
    found.push({ text: source.slice(at, open) });
    const inner = skipRun(source, open, '{');
    const close = source.indexOf('}}', inner);
    if (close < 0) {
      // Unclosed: the rest is literal text, minus braces that look like a placeholder.
      found.push({ text: source.slice(inner).replaceAll(/\{{2,}/g, ''), placeholder: { name: undefined, at: open } });
      return found;
    }
    const inside = source.slice(inner, close).trim();
    found.push({ text: '', placeholder: { name: VARIABLE_NAME.test(inside) ? inside : undefined, at: open } });
    at = skipRun(source, close, '}');
  }
  found.push({ text: source.slice(at) });
  return found;
};

/** The line (from 1) of the first invalid or unclosed placeholder, or undefined. */
export const invalidPlaceholderLine = (source: string): number | undefined => {
  const bad = tokenize(source).find(({ placeholder }) => placeholder && placeholder.name === undefined);
  if (!bad?.placeholder) return undefined;
  return source.slice(0, bad.placeholder.at).split('\n').length;
};

const LINE_CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
// Keeps tabs and line breaks.
const TEXT_CONTROLS = /(?![\t\n])\p{Cc}/gu;
const SANITIZERS: Readonly<Record<EscapeContext, (value: string) => string>> = {
  html: (value) => escapeHtml(value.replaceAll(TEXT_CONTROLS, '')),
  line: (value) => value.replaceAll(LINE_CONTROLS, ''),
  text: (value) => value.replaceAll(TEXT_CONTROLS, ''),
};

/** Declared variables and the values given in a send. */
export interface TemplateData {
  readonly declared: readonly TemplateVariable[];
  readonly given: Readonly<Record<string, TemplateValue>>;
}

/** The value of a placeholder: given, else the declared example, else empty. */
const valueFor = (name: string, { declared, given }: TemplateData): string =>
  Object.hasOwn(given, name)
    ? String(given[name])
    : (declared.find((variable) => variable.name === name)?.example ?? '');

/**
 * Fills a template's placeholders. Values are not expanded again, and no placeholder survives: undeclared, missing or invalid ones become
 * empty, and so does a script in the place of a link's address. Undefined if the result would exceed `maxLength` characters (docs/spec/email-templates.md#filling-a-template).
 */
export const fillPlaceholders = (
  source: string,
  part: EscapeContext,
  data: TemplateData,
  maxLength: number,
): string | undefined => {
  const values = new Map<string, string>();
  const out: string[] = [];
  let length = 0;
  let before = '';
  for (const { text, placeholder } of tokenize(source)) {
    let replaced = text;
    if (placeholder?.name !== undefined) {
      const { name } = placeholder;
      const value = values.get(name) ?? SANITIZERS[part](valueFor(name, data));
      values.set(name, value);
      const isScript = part === 'html' && beginsLink(before) && isScriptAddress(valueFor(name, data));
      replaced = isScript ? '' : value;
    }
    before = placeholder ? '' : text;
    length += replaced.length;
    if (length > maxLength) return undefined;
    out.push(replaced);
  }
  return out.join('');
};
