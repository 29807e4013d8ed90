/** The parts of an OpenAPI document that the generator reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export interface Parameter {
  readonly $ref?: string;
  readonly in?: 'path' | 'query' | 'header' | 'cookie';
  readonly name?: string;
  readonly required?: boolean;
  readonly description?: string;
}

export interface MediaType {
  readonly schema?: Schema;
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Pick<Operation, 'requestBody'> }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> } & Readonly<Record<string, unknown>>;
}

const JSON_TYPE = 'application/json';

/** The successful responses of an operation. */
export const successes = ({ responses }: Operation): readonly [string, Operation['responses'][string]][] =>
  Object.entries(responses).filter(([status]) => status.startsWith('2'));

/** Whether programs call the operation: it answers JSON or nothing, and is neither a page for people nor a provider's callback. */
export const isForPrograms = (operation: Operation): boolean => {
  const answers = successes(operation);
  return answers.length > 0 && answers.every(([, { content }]) => !content || JSON_TYPE in content);
};

/** Name of the schema that a reference points at; undefined for a schema written in place. */
export const schemaName = (schema: Schema | undefined): string | undefined => schema?.$ref?.split('/').at(-1);

/** The JSON schema of a body or of an answer. */
export const jsonSchema = (content: Readonly<Record<string, MediaType>> | undefined): Schema | undefined =>
  content?.[JSON_TYPE]?.schema;

/**
 * The document that types are made of: the operations that programs call, without what the client itself handles, which are headers and
 * problems, and with their query parameters as they are.
 */
export const documentForTypes = (document: OpenApiDocument): Record<string, unknown> => {
  const kept = (operation: Operation) => ({
    ...operation,
    parameters: (operation.parameters ?? []).filter(({ $ref, in: place }) => !$ref && place !== 'header'),
    responses: Object.fromEntries(successes(operation)),
  });
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).filter(([, operation]) => isForPrograms(operation));
    return [path, Object.fromEntries(operations.map(([method, operation]) => [method, kept(operation)]))] as const;
  });
  const { webhooks: _, ...rest } = document;
  return {
    ...rest,
    paths: Object.fromEntries(paths.filter(([, operations]) => Object.keys(operations).length > 0)),
  };
};
