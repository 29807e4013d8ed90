/** The parts of an OpenAPI document that a collection is made of. */
interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}
export interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];

const described = ({ name, description, example }: Parameter, value: unknown = example) => ({
  key: name,
  value: value === undefined ? '' : String(value),
  ...(description ? { description } : {}),
});

/** A header's value: the idempotency key differs at each send, so that trying an operation twice sends twice. */
const headerOf = (parameter: Parameter) => ({
  ...described(parameter, parameter.name === 'Idempotency-Key' ? '{{$guid}}' : undefined),
  ...(parameter.required ? {} : { disabled: true }),
});

const bodyOf = ({ requestBody }: Operation) => {
  const [[type, { example }] = ['', { example: undefined }]] = Object.entries(requestBody?.content ?? {});
  if (!requestBody) return {};
  const isJson = type.includes('json');
  const raw = example === undefined ? '' : typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const options = { raw: { language: isJson ? 'json' : 'text' } };
  return { header: [{ key: 'Content-Type', value: type }], body: { mode: 'raw', raw, options } };
};

const requestOf = (document: Document, path: string, method: string, operation: Operation) => {
  const parameters = (operation.parameters ?? []).map((one) =>
    '$ref' in one ? (document.components.parameters[one.$ref.split('/').at(-1) ?? ''] as Parameter) : one,
  );
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const segments = path.slice(1).split('/');
  const query = of('query').map((parameter) => ({ ...described(parameter), disabled: !parameter.required }));
  const shown = query
    .filter(({ disabled }) => !disabled)
    .map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  const { header = [], body } = bodyOf(operation);
  return {
    method: method.toUpperCase(),
    header: [...header, ...of('header').map(headerOf)],
    ...(body ? { body } : {}),
    url: {
      raw: `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}${shown.length > 0 ? `?${shown.join('&')}` : ''}`,
      host: ['{{baseUrl}}'],
      path: segments.map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1')),
      ...(query.length > 0 ? { query } : {}),
      ...(of('path').length > 0 ? { variable: of('path').map((parameter) => described(parameter)) } : {}),
    },
    ...(operation.security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
    ...(operation.description ? { description: operation.description } : {}),
  };
};

/**
 * The operations as a Postman collection (format 2.1.0), which Bruno and Insomnia import as well: a folder for each tag, the contract's examples as bodies, the
 * variables `baseUrl` and `key`.
 */
export const collectionOf = (document: Document): object => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ path, method, operation })),
  );
  return {
    info: { name: document.info.title, schema: SCHEMA, description: document.info.description ?? '' },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:3000' },
      { key: 'key', value: 'svc_test_…' },
    ],
    item: document.tags.map(({ name, description = '' }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => ({
          name: operation.summary,
          request: requestOf(document, path, method, operation),
        })),
    })),
  };
};
