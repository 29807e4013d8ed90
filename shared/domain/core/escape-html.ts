const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '=': '&#61;',
};
/** Escapes a value for HTML elements and attributes, quoted or not. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"'`=]/g, (character) => ESCAPES[character] ?? '');
