import type { Condition } from './expressions.ts';

/** The row is there; it is not. */
export const EXISTS: Condition = { text: 'attribute_exists(#pk)' };
export const ABSENT: Condition = { text: 'attribute_not_exists(#pk)' };

/** An attribute has one of these values. */
export const oneOf = (name: string, values: readonly string[]): Condition => ({
  text: `#${name} IN (${values.map((_, at) => `:${name}_${at}`).join(', ')})`,
  values: Object.fromEntries(values.map((value, at) => [`${name}_${at}`, value])),
});

/** Each attribute that has a wanted value has it; undefined where none has. */
export const equal = (wanted: Readonly<Record<string, string | undefined>>): Condition | undefined =>
  allOf(Object.entries(wanted).map(([name, value]) => (value === undefined ? undefined : oneOf(name, [value]))));

/** The list in an attribute holds a value; undefined where none is wanted. */
export const contains = (name: string, value: string | undefined): Condition | undefined =>
  value === undefined ? undefined : { text: `contains(#${name}, :${name}_held)`, values: { [`${name}_held`]: value } };

/** All of the conditions that there are; undefined where there is none. Names of values must differ between them. */
export const allOf = (conditions: readonly (Condition | undefined)[]): Condition | undefined => {
  const stated = conditions.filter((condition) => condition !== undefined);
  if (stated.length === 0) return undefined;
  return {
    text: stated.map(({ text }) => text).join(' AND '),
    values: Object.assign({}, ...stated.map(({ values }) => values)),
  };
};
