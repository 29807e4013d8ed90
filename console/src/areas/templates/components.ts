import type { TemplateComponent } from '../../sdk.ts';

export type Components = readonly TemplateComponent[];
type Payload = Readonly<Record<string, unknown>>;

/** A button as a person reads it. */
export interface ButtonText {
  readonly type: string;
  readonly text: string;
  readonly url?: string;
}

const record = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The content of a component; empty if the template has none of its type. */
export const payloadOf = (components: Components, type: string): Payload =>
  record(components.find((each) => each.type.toUpperCase() === type)?.payload);

/** The text of a component. */
export const textIn = (components: Components, type: string): string => text(payloadOf(components, type).text);

export const buttonsIn = (components: Components): readonly ButtonText[] => {
  const { buttons } = payloadOf(components, 'BUTTONS');
  if (!Array.isArray(buttons)) return [];
  return buttons.map(record).map((button) => ({
    type: text(button.type),
    text: text(button.text) || text(button.type),
    ...(typeof button.url === 'string' ? { url: button.url } : {}),
  }));
};

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;
/** The variables of a text, each once, in the order of their numbers or of the text. */
export const variablesIn = (written: string): readonly string[] => [
  ...new Set([...written.matchAll(PLACEHOLDER)].map(([, name = '']) => name)),
];

/** The text with its variables filled; those without a value stay as they are written. */
export const fill = (written: string, values: Readonly<Record<string, string>>): string =>
  written.replaceAll(PLACEHOLDER, (placeholder, name: string) => values[name] || placeholder);

interface NamedExample {
  readonly param_name: string;
  readonly example: string;
}
/** The examples of a component's variables, by their names. */
const examplesOf = (payload: Payload, part: 'body' | 'header'): Readonly<Record<string, string>> => {
  const example = record(payload.example);
  const named = example[`${part}_text_named_params`];
  if (Array.isArray(named))
    return Object.fromEntries(
      (named as readonly NamedExample[]).map(({ param_name: name, example: value }) => [name, value]),
    );
  const listed = example[`${part}_text`];
  const values: readonly unknown[] = Array.isArray(listed) ? listed.flat() : [];
  return Object.fromEntries(values.map((value, at) => [String(at + 1), text(value)]));
};

/** The examples of all variables of a template. */
export const examplesIn = (components: Components): Readonly<Record<string, string>> => ({
  ...examplesOf(payloadOf(components, 'HEADER'), 'header'),
  ...examplesOf(payloadOf(components, 'BODY'), 'body'),
});

/** The text and examples of a component, as Meta has them: numbered variables by place, others by name. */
const textPayload = (
  part: 'body' | 'header',
  written: string,
  examples: Readonly<Record<string, string>>,
  rest: Payload,
): Payload => {
  const { example: _, ...others } = rest;
  const names = variablesIn(written);
  if (names.length === 0) return { ...others, text: written };
  const isNumbered = names.every((name) => /^\d+$/.test(name));
  const ordered = isNumbered ? [...names].sort((a, b) => Number(a) - Number(b)) : names;
  const values = ordered.map((name) => examples[name] ?? '');
  const example = isNumbered
    ? { [`${part}_text`]: part === 'body' ? [values] : values }
    : { [`${part}_text_named_params`]: ordered.map((name, at) => ({ param_name: name, example: values[at] ?? '' })) };
  return { ...others, text: written, example };
};

const ORDER = ['HEADER', 'LIMITED_TIME_OFFER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL'];
/** The template with another payload of a component; undefined takes the component out. */
const withPayload = (components: Components, type: string, payload: Payload | undefined): Components => {
  const others = components.filter((each) => each.type.toUpperCase() !== type);
  const next = payload === undefined ? others : [...others, { type, payload }];
  return [...next].sort((a, b) => ORDER.indexOf(a.type.toUpperCase()) - ORDER.indexOf(b.type.toUpperCase()));
};

/** The template with another text of a component; without one the component is taken out. */
export const withText = (components: Components, type: 'HEADER' | 'BODY' | 'FOOTER', written: string): Components => {
  if (written === '' && type !== 'BODY') return withPayload(components, type, undefined);
  if (type === 'FOOTER') return withPayload(components, type, { text: written });
  const part = type === 'BODY' ? 'body' : 'header';
  const rest = type === 'BODY' ? payloadOf(components, type) : { format: 'TEXT' };
  return withPayload(components, type, textPayload(part, written, examplesIn(components), rest));
};

/** The template with another example of a variable. */
export const withExample = (components: Components, name: string, example: string): Components => {
  const examples = { ...examplesIn(components), [name]: example };
  return (['HEADER', 'BODY'] as const).reduce((next, type) => {
    const payload = payloadOf(next, type);
    const written = text(payload.text);
    if (!variablesIn(written).includes(name)) return next;
    return withPayload(next, type, textPayload(type === 'BODY' ? 'body' : 'header', written, examples, payload));
  }, components);
};

/** The template with other buttons. */
export const withButtons = (components: Components, buttons: readonly unknown[]): Components =>
  withPayload(components, 'BUTTONS', buttons.length > 0 ? { buttons } : undefined);

/** The buttons as they are written. */
export const rawButtons = (components: Components): readonly Payload[] => {
  const { buttons } = payloadOf(components, 'BUTTONS');
  return Array.isArray(buttons) ? buttons.map(record) : [];
};
