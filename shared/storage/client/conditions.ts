import type { Condition } from './expressions.ts';

/** The row exists; it does not exist. */
export const EXISTS: Condition = { text: 'attribute_exists(#pk)' };
export const ABSENT: Condition = { text: 'attribute_not_exists(#pk)' };

/** An attribute has one of these values. */
export const oneOf = (name: string, values: readonly string[]): Condition => ({
  text: `#${name} IN (${values.map((_, at) => `:${name}_${at}`).join(', ')})`,
  values: Object.fromEntries(values.map((value, at) => [`${name}_${at}`, value])),
});

/** Each attribute with a wanted value has that value; undefined when nothing is wanted. */
export const equal = (wanted: Readonly<Record<string, string | undefined>>): Condition | undefined =>
  allOf(Object.entries(wanted).map(([name, value]) => (value === undefined ? undefined : oneOf(name, [value]))));

/** The list in an attribute contains a value; undefined when no value is wanted. */
export const contains = (name: string, value: string | undefined): Condition | undefined =>
  value === undefined ? undefined : { text: `contains(#${name}, :${name}_held)`, values: { [`${name}_held`]: value } };

/** The conjunction of the defined conditions; undefined when there is none. Their value names must differ. */
export const allOf = (conditions: readonly (Condition | undefined)[]): Condition | undefined => {
  const defined = conditions.filter((condition) => condition !== undefined);
  if (defined.length === 0) return undefined;
  return {
    text: defined.map(({ text }) => text).join(' AND '),
    values: Object.assign({}, ...defined.map(({ values }) => values)),
  };
};

/** The conjunction of conditions whose value names differ. */
export const all = (...conditions: readonly [Condition, ...Condition[]]): Condition => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  values: Object.assign({}, ...conditions.map(({ values }) => values)),
});

/** A number is as it was read; one that is not stored counts as 0. */
export const isStill = (name: string, value: number): Condition => ({
  text: value === 0 ? `(attribute_not_exists(#${name}) OR #${name} = :${name})` : `#${name} = :${name}`,
  values: { [name]: value },
});
