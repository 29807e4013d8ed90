/** `{{…}}`. Linear, since the content has no braces. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const NUMBER = /^[1-9]\d{0,2}$/;
const NAME = /^[a-z][a-z0-9_]{0,59}$/;

/** Variable styles of Meta's templates (WhatsApp, template overview, "Parameter formats"). */
export type ParameterFormat = 'positional' | 'named';
/** A text's distinct variables: numbers in ascending order, names in order of appearance. Positional if there are none. */
interface Placeholders {
  readonly format: ParameterFormat;
  readonly names: readonly string[];
}

/** Parses a text's variables, or returns what is wrong with them. */
export const placeholdersOf = (text: string): Placeholders | { readonly error: string } => {
  const names = [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim()))];
  if (names.length > 0 && names.every((name) => NAME.test(name))) return { format: 'named', names };
  if (!names.every((name) => NUMBER.test(name)))
    return { error: 'variables are {{1}}, {{2}} and so on, or all have names of a-z, 0-9 and _' };
  const numbers = names.toSorted((a, b) => Number(a) - Number(b));
  return numbers.every((number, at) => Number(number) === at + 1)
    ? { format: 'positional', names: numbers }
    : { error: 'variables must be numbered from {{1}} without gaps' };
};

/** The variables of a text; none if they are invalid. */
export const validPlaceholders = (text: string): Placeholders => {
  const found = placeholdersOf(text);
  return 'error' in found ? { format: 'positional', names: [] } : found;
};
