import * as z from 'zod';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly minItems?: number;
  readonly $ref?: string;
}

const BY_TYPE: Readonly<Record<string, unknown>> = { string: 'text', boolean: true, null: null };

const requiredOf = (schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): unknown => {
  const fields = (schema.required ?? []).map(
    (name) => [name, sample(schema.properties?.[name] ?? {}, definitions)] as const,
  );
  return Object.fromEntries(fields);
};

/** A value of a JSON schema: its example, or the simplest that its keywords allow. */
const sample = (schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): unknown => {
  const given = [schema.example, schema.examples?.[0], schema.const, schema.enum?.[0]].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  const reference = schema.$ref?.split('/').at(-1);
  if (reference) return sample(definitions[reference] ?? {}, definitions);
  const inner = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (inner) return sample(inner, definitions);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') return requiredOf(schema, definitions);
  if (type === 'array') return schema.minItems ? [sample(schema.items ?? {}, definitions)] : [];
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  return type === undefined ? 'text' : BY_TYPE[type];
};

/** A minimal input that a schema accepts: its required fields with their examples. */
export const exampleInput = (schema: z.ZodType): unknown => {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
  };
  return sample(json, json.$defs ?? {});
};
