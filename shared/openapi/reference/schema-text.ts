import { EMPTY, type Html, html, joined } from '../html.ts';
import { addressOf, type Model, nameOf, resolveSchema, type Schema } from './model.ts';

const isNull = (schema: Schema): boolean => schema.type === 'null';

/** The alternatives of a schema, without `null`. */
export const alternativesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] =>
  (anyOf ?? oneOf ?? []).filter((one) => !isNull(one));

/** The only alternative of a schema that may be null, otherwise the schema itself. */
export const withoutNull = (schema: Schema): Schema => {
  const [only, ...others] = alternativesOf(schema);
  if (!only || others.length > 0) return schema;
  return schema.description === undefined ? only : { ...only, description: schema.description };
};

const mayBeNull = ({ anyOf, oneOf, type }: Schema): boolean =>
  (anyOf ?? oneOf ?? []).some(isNull) || (typeof type === 'object' && type.includes('null'));

const kindOf = ({ type, enum: values, const: constant, properties, additionalProperties }: Schema): string => {
  const types = (typeof type === 'object' ? type : [type]).filter((one) => one !== undefined && one !== 'null');
  if (types.length > 0) return types.join(' or ');
  const [value = constant] = values ?? [];
  if (value !== undefined && value !== null) return typeof value;
  return properties || additionalProperties ? 'object' : 'any value';
};

const listed = (types: readonly Html[]): Html => {
  const unique = [...new Map(types.map((type) => [type.text, type])).values()];
  return joined(unique, ' or ');
};

/** The type of a value in words; named schemas are linked. */
export const typeOf = (model: Model, schema: Schema): Html => {
  const orNull = mayBeNull(schema) ? html` or null` : EMPTY;
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return html`${listed(alternatives.map((one) => typeOf(model, one)))}${orNull}`;
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    // Throws for a reference that leads nowhere.
    resolveSchema(model, schema);
    return html`<a href="${addressOf.schema(name)}">${name}</a>`;
  }
  if (schema.allOf)
    return joined(
      schema.allOf.map((one) => typeOf(model, one)),
      ' and ',
    );
  if (schema.items) return html`array of ${typeOf(model, schema.items)}${orNull}`;
  const { additionalProperties: values } = schema;
  if (typeof values === 'object' && !schema.properties)
    return html`object, each value ${typeOf(model, values)}${orNull}`;
  return html`${kindOf(schema)}${orNull}`;
};

const number = (value: number): string => value.toLocaleString('en-US');

/** Bounds in words. Those of the largest safe integer say nothing. */
const range = (minimum: number | undefined, maximum: number | undefined, unit: string): readonly string[] => {
  const low = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const high = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const named = unit === '' ? '' : ` ${unit}`;
  if (low !== undefined && low === high) return [`exactly ${number(low)}${named}`];
  if (low !== undefined && high !== undefined) return [`${number(low)} to ${number(high)}${named}`];
  if (low !== undefined) return [`at least ${number(low)}${named}`];
  return high === undefined ? [] : [`at most ${number(high)}${named}`];
};

const code = (value: unknown): Html => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

const valuesOf = ({ enum: values, const: constant }: Schema): readonly Html[] => {
  if (constant !== undefined) return [html`always ${code(constant)}`];
  return values ? [html`one of ${joined(values.map(code), ', ')}`] : [];
};

const namesOf = ({ propertyNames }: Schema): readonly Html[] =>
  propertyNames ? limitsOf(propertyNames).map((limit) => html`names: ${limit}`) : [];

/** The limits of a value, each in words. */
export const limitsOf = (schema: Schema): readonly Html[] => [
  ...valuesOf(schema),
  ...range(schema.minLength, schema.maxLength, 'characters').map((text) => html`${text}`),
  ...range(schema.minimum, schema.maximum, '').map((text) => html`${text}`),
  ...(schema.multipleOf === undefined ? [] : [html`a multiple of ${schema.multipleOf}`]),
  ...range(schema.minItems, schema.maxItems, 'items').map((text) => html`${text}`),
  ...range(schema.minProperties, schema.maxProperties, 'fields').map((text) => html`${text}`),
  ...(schema.format === undefined ? [] : [html`format ${code(schema.format)}`]),
  ...(schema.pattern === undefined ? [] : [html`pattern ${code(schema.pattern)}`]),
  ...namesOf(schema),
  ...(schema.default === undefined ? [] : [html`default ${code(schema.default)}`]),
];

/** A name for one of several alternatives: that of its schema, else its constant field, its required fields or its type. */
export const alternativeName = (model: Model, schema: Schema): string => {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  const target = resolveSchema(model, schema);
  const marks = Object.entries(target.properties ?? {}).flatMap(([name, { const: constant, enum: values }]) => {
    const value = constant ?? (values?.length === 1 ? values[0] : undefined);
    return value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`];
  });
  return marks[0] ?? (target.required?.length ? `with ${target.required.join(', ')}` : kindOf(target));
};
