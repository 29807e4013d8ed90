/** The parts of an OpenAPI document that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema?: Schema;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
}
export type Content = Readonly<Record<string, MediaType>>;

export interface Header {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly 'x-required-scope'?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly description?: string; readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

/** An operation with its place in the API. */
export interface Entry {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly area: string;
  readonly operation: Operation;
}

/** An area: the operations of one tag. */
export interface Area {
  readonly name: string;
  /** The last segment of its address. */
  readonly slug: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

/** A document prepared for its pages. */
export interface Model {
  readonly document: OpenApiDocument;
  readonly areas: readonly Area[];
  /** By operation id. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Webhook events by type. */
  readonly events: ReadonlyMap<string, Operation>;
  readonly schemas: ReadonlyMap<string, Schema>;
}

/** The last segment of an area's address: `E-mail templates` is `e-mail-templates`. */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const entriesOf = (document: OpenApiDocument): Entry[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      area: operation.tags[0] ?? '',
      operation,
    })),
  );

export const modelOf = (document: OpenApiDocument): Model => {
  const entries = entriesOf(document);
  return {
    document,
    areas: document.tags.map(({ name, description = '' }) => ({
      name,
      slug: slugOf(name),
      description,
      entries: entries.filter(({ area }) => area === name),
    })),
    entries: new Map(entries.map((entry) => [entry.operation.operationId, entry])),
    events: new Map(Object.entries(document.webhooks).map(([type, { post }]) => [type, post])),
    schemas: new Map(Object.entries(document.components.schemas)),
  };
};

/** The name in a `$ref`: its last segment. */
export const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? '';

const found = <T>(value: T | undefined, $ref: string): T => {
  if (value === undefined) throw new Error(`${$ref} is not in the document.`);
  return value;
};

/** The schema that a schema refers to, with the reference's own description; the schema itself without a reference. */
export const resolveSchema = ({ schemas }: Model, schema: Schema): Schema => {
  if (schema.$ref === undefined) return schema;
  const target = found(schemas.get(nameOf(schema.$ref)), schema.$ref);
  return schema.description === undefined ? target : { ...target, description: schema.description };
};

export const parametersOf = ({ document }: Model, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.map((one) => ('$ref' in one ? found(document.components.parameters[nameOf(one.$ref)], one.$ref) : one));

export const responseOf = ({ document }: Model, response: Response | Reference): Response =>
  '$ref' in response ? found(document.components.responses[nameOf(response.$ref)], response.$ref) : response;

export const headerOf = ({ document }: Model, header: Header): Header =>
  header.$ref === undefined ? header : found(document.components.headers[nameOf(header.$ref)], header.$ref);

/** Addresses of the reference's pages. */
const BASE = '/docs?page=';
export const addressOf = {
  operation: (id: string): string => `${BASE}${id}`,
  area: ({ slug }: Area): string => `${BASE}${slug}`,
  event: (type: string): string => `${BASE}event.${type}`,
  schema: (name: string): string => `${BASE}schema.${name}`,
  all: `${BASE}all`,
  events: `${BASE}events`,
  schemas: `${BASE}schemas`,
} as const;
