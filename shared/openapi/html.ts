const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Text as it may stand in HTML, in attributes as well. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Text that is safe to show as HTML: made by `html`, or by `trusted` from text that was escaped elsewhere. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | undefined | readonly Html[];

const shown = (value: Value): string => {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeHtml(String(value));
};

/** A template of HTML: everything put into it is escaped, unless it is `Html` itself. `undefined` shows nothing. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(strings.reduce((text, part, index) => `${text}${shown(values[index - 1])}${part}`));

/** Marks text as HTML that its maker has escaped. */
export const trusted = (text: string): Html => new Html(text);

export const EMPTY = trusted('');

/** HTML with a separator between its parts. */
export const joined = (parts: readonly Html[], separator: string): Html =>
  trusted(parts.map(({ text }) => text).join(escapeHtml(separator)));
