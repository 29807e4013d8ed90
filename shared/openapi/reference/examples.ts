import { type Model, nameOf, resolveSchema, type Schema } from './model.ts';
import { alternativesOf } from './schema-text.ts';

const fromFields = (model: Model, { properties = {} }: Schema, inside: readonly string[]): unknown => {
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const value = exampleOf(model, field, inside);
    return value === undefined ? [] : [[name, value] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
};

/** An example of a schema, made of the examples, constants and defaults that the contract gives; undefined if it gives none. */
export const exampleOf = (model: Model, schema: Schema, inside: readonly string[] = []): unknown => {
  const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref);
  if (name !== undefined && inside.includes(name)) return undefined;
  const around = name === undefined ? inside : [...inside, name];
  const target = resolveSchema(model, schema);
  const given = target.example ?? target.const ?? target.default ?? target.enum?.[0];
  if (given !== undefined) return given;
  for (const one of target.allOf ?? alternativesOf(target)) {
    const value = exampleOf(model, one, around);
    if (value !== undefined) return value;
  }
  if (target.items) {
    const item = exampleOf(model, target.items, around);
    return item === undefined ? undefined : [item];
  }
  return fromFields(model, target, around);
};
