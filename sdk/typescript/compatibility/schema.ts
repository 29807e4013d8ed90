/** The keywords of JSON Schema that the contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly [bound: string]: unknown;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** One of the shapes that a schema allows: of one type, and not a reference. `any` allows everything. */
export interface Shape {
  readonly schema: Schema;
  readonly type: string;
  /** The values that it has, where they are listed. */
  readonly values?: readonly unknown[] | undefined;
}

/** The name that a reference points at. */
export const refName = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

const ofValue = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const valuesOf = (schema: Schema): readonly unknown[] | undefined => ('const' in schema ? [schema.const] : schema.enum);

const typesOf = (schema: Schema): readonly string[] => {
  if (schema.type !== undefined) return typeof schema.type === 'string' ? [schema.type] : schema.type;
  const values = valuesOf(schema);
  if (values) return [...new Set(values.map(ofValue))];
  if (schema.properties) return ['object'];
  return ['any'];
};

const isOf =
  (type: string) =>
  (value: unknown): boolean =>
    type === 'any' || ofValue(value) === type || (type === 'integer' && typeof value === 'number');

/** The shapes that a schema allows, through references and unions. */
export const shapesOf = (schema: Schema, schemas: Schemas): readonly Shape[] => {
  const name = refName(schema);
  if (name !== undefined) return shapesOf(schemas[name] ?? {}, schemas);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.flatMap((part) => shapesOf(part, schemas));
  const values = valuesOf(schema);
  return typesOf(schema).map((type) => ({ schema, type, values: values?.filter(isOf(type)) }));
};

/** Types whose every value is also of the other. */
export const isTypeWithin = (narrow: string, wide: string): boolean =>
  wide === 'any' || narrow === wide || (narrow === 'integer' && wide === 'number');
