/** `{{…}}` of a template's text. Linear: what stands between the braces has none. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const NUMBER = /^[1-9]\d{0,2}$/;
const NAME = /^[a-z][a-z0-9_]{0,59}$/;

/** The two ways in which the platform's texts name their variables (WhatsApp, template overview, "Parameter formats"). */
export type ParameterFormat = 'positional' | 'named';
/** A text's variables, each once: numbers in their order, names as they come. Without any, `format` is positional. */
interface Placeholders {
  readonly format: ParameterFormat;
  readonly names: readonly string[];
}

/** The variables of a text, or what is wrong with them. */
export const placeholdersOf = (text: string): Placeholders | { readonly fault: string } => {
  const names = [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()))];
  if (names.length > 0 && names.every((name) => NAME.test(name))) return { format: 'named', names };
  if (!names.every((name) => NUMBER.test(name)))
    return { fault: 'variables are {{1}}, {{2}} and so on, or all have names of a-z, 0-9 and _' };
  const numbers = names.toSorted((a, b) => Number(a) - Number(b));
  return numbers.every((number, at) => Number(number) === at + 1)
    ? { format: 'positional', names: numbers }
    : { fault: 'variables must be numbered from {{1}} without gaps' };
};

/** The variables of a text that was checked; a text that was never checked counts as having none where they are wrong. */
export const knownPlaceholders = (text: string): Placeholders => {
  const found = placeholdersOf(text);
  return 'fault' in found ? { format: 'positional', names: [] } : found;
};
