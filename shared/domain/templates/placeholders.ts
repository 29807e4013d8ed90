/** `{{…}}` of a template's text. Linear: what stands between the braces has none. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const NUMBER = /^[1-9]\d{0,2}$/;

/** The numbers of a text's variables, each once, in their order; or what is wrong with them. */
export const variablesOf = (text: string): readonly number[] | { readonly fault: string } => {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim());
  if (names.some((name) => !NUMBER.test(name))) return { fault: 'a variable is {{1}}, {{2}} and so on' };
  const numbers = [...new Set(names.map(Number))].sort((a, b) => a - b);
  return numbers.every((number, at) => number === at + 1)
    ? numbers
    : { fault: 'variables must be numbered from {{1}} without gaps' };
};

/** How many variables a text has; a text that was never checked counts as having none where they are wrong. */
export const countVariables = (text: string): number => {
  const found = variablesOf(text);
  return 'fault' in found ? 0 : found.length;
};
