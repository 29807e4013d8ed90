import * as z from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { IDEMPOTENCY_KEY } from '../contracts/common.ts';
import type { OperationContract, RawContent, StreamedBody } from '../contracts/define-operation.ts';
import { BEARER, DESCRIPTION, TAGS, TITLE } from './information.ts';
import { readableParameters } from './parameters.ts';
import { HEADERS, problemResponses, problemsOf, REQUEST_ID_HEADER, responseName } from './problems.ts';
import { webhooksSection } from './webhooks.ts';

export interface DocumentInput {
  readonly version: string;
  readonly operations: readonly OperationContract[];
  /** The example body of an operation, from its example event; undefined if it takes none, or bytes. */
  readonly exampleBody: (contract: OperationContract) => unknown;
}

const idempotencyKey = (id: string) => ({
  description: 'Chosen by the caller, 1 to 255 visible ASCII characters. The same key sends once, for 24 hours.',
  example: 'order-1842-shipped',
  param: { in: 'header', name: 'Idempotency-Key', id } as const,
});
const KEY_PARAMETERS = {
  required: z.string().regex(IDEMPOTENCY_KEY).meta(idempotencyKey('IdempotencyKey')),
  optional: z.string().regex(IDEMPOTENCY_KEY).optional().meta(idempotencyKey('OptionalIdempotencyKey')),
};

const scopeNote = ({ permission }: OperationContract): string => {
  if (permission === 'public') return 'No credential is needed.';
  if (typeof permission === 'string') return `Scope: \`${permission}\`.`;
  return `Only for a person in a session that has \`${permission.session}\`.`;
};

const scopeOf = ({ permission }: OperationContract): string | undefined =>
  typeof permission === 'string' ? (permission === 'public' ? undefined : permission) : permission.session;

const isRaw = (body: z.ZodType | RawContent): body is RawContent => 'contentType' in body;

const LOCATION = {
  Location: { description: 'The address to redirect to.', required: true, schema: { type: 'string' } },
} as const;

const LINK = {
  Link: {
    description: 'With CSV: the address of the next page, `rel="next"`; absent at the end.',
    schema: { type: 'string' },
  },
} as const;

const rawContent = ({ contentType, shape }: RawContent) => ({
  [contentType]: { schema: { type: shape ?? ('string' as const) } },
});

const success = (
  status: string,
  body: z.ZodType | RawContent | null,
  alternative?: RawContent,
): ZodOpenApiResponseObject => {
  const headers = { 'x-request-id': REQUEST_ID_HEADER, ...(status === '302' ? LOCATION : {}) };
  if (body === null) return { description: 'Done; there is no body.', headers };
  if (isRaw(body))
    return {
      description: body.description,
      headers,
      content: rawContent(body),
    };
  return {
    description: body.meta()?.description ?? 'Done.',
    headers: alternative ? { ...headers, ...LINK } : headers,
    content: { 'application/json': { schema: body }, ...(alternative ? rawContent(alternative) : {}) },
  };
};

const responsesOf = (contract: OperationContract): ZodOpenApiOperationObject['responses'] => ({
  ...Object.fromEntries(
    Object.entries(contract.responses).map(([status, body]) => [status, success(status, body, contract.alternative)]),
  ),
  ...Object.fromEntries(
    [...problemsOf(contract)].map(([status, name]) => [
      String(status),
      { $ref: `#/components/responses/${responseName(name)}` },
    ]),
  ),
});

const streamedBody = ({ contentTypes, description, schema }: StreamedBody, example: unknown) => ({
  description,
  required: true,
  content: Object.fromEntries(
    contentTypes.map((type) => [type, schema ? { schema, ...(example === undefined ? {} : { example }) } : {}]),
  ),
});

const requestBody = (contract: OperationContract, example: unknown): Pick<ZodOpenApiOperationObject, 'requestBody'> => {
  const { body, rawBody, stream } = contract.request;
  if (stream) return { requestBody: streamedBody(stream, example) };
  if (rawBody)
    return {
      requestBody: {
        description: rawBody.description,
        content: {
          [rawBody.contentType]: { schema: { type: 'string' }, ...(example === undefined ? {} : { example }) },
        },
      },
    };
  if (!body) return {};
  const content = { schema: body, ...(example === undefined ? {} : { example }) };
  // An absent body counts as `{}`, so it is required only if `{}` is invalid.
  return { requestBody: { required: !body.safeParse({}).success, content: { 'application/json': content } } };
};

const operationObject = (contract: OperationContract, example: unknown): ZodOpenApiOperationObject => {
  const { id, tag, summary, description, permission, request } = contract;
  const scope = scopeOf(contract);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, scopeNote(contract)].filter(Boolean).join('\n\n'),
    security: permission === 'public' ? [] : [{ bearer: [] }],
    ...(scope ? { 'x-required-scope': scope } : {}),
    ...(contract.idempotency ? { parameters: [KEY_PARAMETERS[contract.idempotency]] } : {}),
    requestParams: {
      ...(request.params ? { path: request.params } : {}),
      ...(request.query ? { query: request.query } : {}),
    },
    ...requestBody(contract, example),
    responses: responsesOf(contract),
  };
};

/** `{name+}` matches the rest of a path; OpenAPI has no notation for that. */
const documentedPath = (path: string): string => path.replaceAll('+}', '}');

/**
 * Response schemas are open, since responses may gain fields; request schemas are closed, since unknown fields are refused. Patterns that
 * only repeat a format are dropped.
 */
const override: CreateDocumentOptions['override'] = ({ jsonSchema, io }) => {
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'email') delete jsonSchema.pattern;
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};

const pathsOf = ({ operations, exampleBody }: DocumentInput) => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const contract of operations) {
    const path = documentedPath(contract.path);
    paths[path] = {
      ...paths[path],
      [contract.method.toLowerCase()]: operationObject(contract, exampleBody(contract)),
    };
  }
  return paths;
};

const tagsOf = (operations: readonly OperationContract[]) =>
  [...new Set(operations.map(({ tag }) => tag))].map((name) => {
    const description = TAGS[name];
    if (!description) throw new Error(`The tag ${name} has no description in shared/openapi/information.ts.`);
    return { name, description };
  });

/** The OpenAPI 3.1 document of the service. */
export const openApiDocument = (input: DocumentInput): ReturnType<typeof createDocument> =>
  readableParameters(
    createDocument(
      {
        openapi: '3.1.0',
        info: {
          title: TITLE,
          version: input.version,
          description: DESCRIPTION,
          license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
          contact: { name: 'The operator of this deployment' },
        },
        servers: [{ url: '/', description: 'This deployment: live and test, chosen by the key.' }],
        security: [{ bearer: [] }],
        tags: tagsOf(input.operations),
        paths: pathsOf(input),
        webhooks: webhooksSection(),
        components: {
          securitySchemes: { bearer: BEARER },
          headers: HEADERS,
          responses: problemResponses(input.operations),
        },
      },
      { override },
    ),
    input.operations,
  );
