import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import { IDEMPOTENCY_KEY } from '../contracts/common.ts';
import {
  type InputProblem,
  inputProblem,
  type OperationContract,
  type StreamedBody,
} from '../contracts/define-operation.ts';
import { type FieldError, type ProblemName, Refusal, refuse } from '../domain/core/errors.ts';
import { readJson } from '../domain/core/json-text.ts';
import { orUndefined } from '../domain/core/or-undefined.ts';
import { fieldErrors, unknownFields, zodErrorMap } from '../domain/core/zod-error-map.ts';
import { header, headerValues } from './headers.ts';

const violates = <N extends ProblemName>(problem: N, what: string, errors: readonly FieldError[]) =>
  refuse(problem, { detail: `${what} violates the contract.`, errors });

const parsePart = <T, N extends ProblemName>(
  schema: z.ZodType<T>,
  input: unknown,
  problem: N,
  what: string,
  error = zodErrorMap,
) => {
  const parsed = schema.safeParse(input, { error });
  return parsed.success ? parsed.data : violates(problem, what, fieldErrors(parsed.error));
};

/** The body's exact text; undefined if a base64 body is not UTF-8. */
export const bodyText = (event: APIGatewayProxyEvent): string | undefined => {
  if (event.body === null || event.body === undefined) return '';
  if (!event.isBase64Encoded) return event.body;
  const bytes = Buffer.from(event.body, 'base64');
  return orUndefined(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
};

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Parses a text as a JSON body: 400 if it is not JSON, `problem` if it does not match the schema. `rowsIn`: as in `readJson`. */
export const parseJsonBody = <T, N extends InputProblem>(
  schema: z.ZodType<T>,
  text: string,
  problem: N,
  rowsIn?: string,
): T | Refusal<'BAD_REQUEST' | N> => {
  const json = readJson(text, problem, rowsIn);
  return json instanceof Refusal ? json : parsePart(schema, json.value, problem, 'The body');
};

/** An absent body counts as `{}` if the contract requires no field. */
const emptyBody = (schema: z.ZodType | undefined) => {
  const parsed = schema?.safeParse({});
  return parsed?.success ? parsed.data : refuse('BAD_REQUEST', 'A JSON body is needed.');
};

/** An event of a gateway that streams bodies as they arrive, instead of `body`. */
export interface StreamedEvent {
  readonly bodyStream?: AsyncIterable<Uint8Array>;
}

/** The body in chunks: as it arrives, or as the event's single chunk. */
async function* bodyChunks({ body, isBase64Encoded }: APIGatewayProxyEvent) {
  if (body) yield Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

const NOT_JSON = refuse('BAD_REQUEST', 'The content type must be application/json.');
/** Whether the content type is something other than JSON. */
const hasOtherContentType = (event: APIGatewayProxyEvent): boolean =>
  !JSON_TYPE.test(header(event, 'content-type') ?? 'application/json');

/**
 * Whether a body has one of the content types, ignoring case and parameters, and arrived as bytes: a gateway reads any other type as text,
 * which corrupts it.
 */
const isBinaryOfType = (event: APIGatewayProxyEvent & StreamedEvent, types: readonly string[]): boolean => {
  const [type = ''] = (header(event, 'content-type') ?? '').split(';');
  const asText = event.bodyStream === undefined && event.body && !event.isBase64Encoded;
  return types.includes(type.trim().toLowerCase()) && !asText;
};

const readStream = (event: APIGatewayProxyEvent & StreamedEvent, { contentTypes, schema }: StreamedBody) => {
  if (schema && hasOtherContentType(event)) return NOT_JSON;
  if (!schema && !isBinaryOfType(event, contentTypes))
    return refuse(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the bytes alone, with a content type that the operation documents, such as ${contentTypes[0]}.`,
    );
  return event.bodyStream ?? bodyChunks(event);
};

const readBody = (contract: OperationContract, event: APIGatewayProxyEvent) => {
  const { body: schema, rawBody, rowsIn, stream } = contract.request;
  if (stream) return readStream(event, stream);
  if (!schema && !rawBody) return {};
  const encoding = header(event, 'content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity')
    return refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must come as it is, not compressed: leave Content-Encoding out.');
  const text = bodyText(event);
  if (text === undefined) return refuse('BAD_REQUEST', 'The body is not UTF-8.');
  if (rawBody) return text;
  if (text.trim() === '') return emptyBody(schema);
  if (hasOtherContentType(event)) return NOT_JSON;
  return schema ? parseJsonBody(schema, text, inputProblem(contract), rowsIn) : {};
};

/** Query values as one flat object; a repeated parameter is a list. */
const queryOf = (event: APIGatewayProxyEvent): Record<string, unknown> => {
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {}))
    query[name] = values && values.length > 1 ? values : values?.[0];
  return { ...query };
};

/** Where a parameter takes one value, a list is a parameter that was given more than once. */
const queryErrorMap: z.core.$ZodErrorMap = (issue) =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value') && Array.isArray(issue.input)
    ? 'must be given once'
    : zodErrorMap(issue);

/** The Idempotency-Key of the request. 400 if it is malformed, or missing though the operation requires one. */
export const readIdempotencyKey = (
  contract: OperationContract,
  event: APIGatewayProxyEvent,
): string | undefined | Refusal<'BAD_REQUEST'> => {
  if (!contract.idempotency) return undefined;
  if (headerValues(event, 'idempotency-key').length > 1)
    return refuse('BAD_REQUEST', 'The Idempotency-Key header is sent more than once: send one.');
  const key = header(event, 'idempotency-key');
  if (key === undefined && contract.idempotency === 'optional') return undefined;
  if (key === undefined || key === '') return refuse('BAD_REQUEST', 'The Idempotency-Key header is required.');
  return IDEMPOTENCY_KEY.test(key)
    ? key
    : refuse('BAD_REQUEST', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
};

/** Parses a part of the request, if the contract has one. */
const readPart = <N extends ProblemName>(
  schema: z.ZodType | undefined,
  input: unknown,
  problem: N,
  what: string,
  error = zodErrorMap,
) => (schema ? parsePart(schema, input, problem, what, error) : {});

const NO_QUERY = z.strictObject({});
/** Not a valid parameter name; a schema would overlook it. */
const PROTOTYPE = '__proto__';
/** An operation without a query accepts no parameters; public ones accept any, since others append theirs to links. */
const querySchema = ({ request, permission }: OperationContract) =>
  request.query ?? (permission === 'public' ? undefined : NO_QUERY);

/** Parses path, query and body against the contract, in that order. */
export const readInput = (contract: OperationContract, event: APIGatewayProxyEvent) => {
  const params = readPart(contract.request.params, event.pathParameters ?? {}, 'NOT_FOUND', 'The path');
  if (params instanceof Refusal) return params;
  const badQuery = inputProblem(contract);
  const bad = Object.values(event.multiValueQueryStringParameters ?? {})
    .flat()
    .some((value) => value !== undefined && (value.includes('\u0000') || !value.isWellFormed()));
  if (bad) return refuse(badQuery, 'The query has characters that the contract does not know.');
  const schema = querySchema(contract);
  if (schema && Object.hasOwn(event.multiValueQueryStringParameters ?? {}, PROTOTYPE))
    return violates(badQuery, 'The query', [{ path: PROTOTYPE, message: unknownFields(schema) }]);
  const query = readPart(schema, queryOf(event), badQuery, 'The query', queryErrorMap);
  if (query instanceof Refusal) return query;
  const body = readBody(contract, event);
  return body instanceof Refusal ? body : { params, query, body };
};
