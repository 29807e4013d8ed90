import { type Answer, attempt } from './attempt.ts';
import type { MessagingOptions } from './options.ts';
import { ConnectionError, isProblem, type ProblemError, problemOf } from './problem.ts';
import {
  type Binary,
  type Call,
  type CsvPage,
  type KeyedOptions,
  type Method,
  type OperationRequest,
  queryString,
} from './request.ts';
import { isRepeatable, isTemporary, retryAfterSeconds, sleep, waitBefore } from './retry.ts';

/** 32 random characters of `0-9a-f`. */
const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const isStream = (binary: Binary | undefined): boolean =>
  typeof ReadableStream !== 'undefined' && binary?.data instanceof ReadableStream;

interface Prepared {
  readonly client: MessagingOptions;
  readonly method: Method;
  readonly request: OperationRequest;
  readonly options: KeyedOptions;
  readonly idempotencyKey: string | undefined;
}

const headersOf = async ({ client, request, options, idempotencyKey }: Prepared): Promise<Headers> => {
  const headers = new Headers({ accept: request.csv ? 'text/csv' : 'application/json' });
  const contentType = request.binary?.contentType ?? (request.body === undefined ? undefined : 'application/json');
  if (contentType) headers.set('content-type', contentType);
  const credential = typeof client.apiKey === 'function' ? await client.apiKey() : client.apiKey;
  if (credential && !request.open) headers.set('authorization', `Bearer ${credential}`);
  for (const [name, value] of Object.entries({ ...client.headers, ...options.headers })) headers.set(name, value);
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  return headers;
};

const initOf = async (prepared: Prepared): Promise<RequestInit> => {
  const { client, method, request } = prepared;
  // Types of runtimes differ in which buffers a body may have; every runtime takes all of these.
  const body = (request.binary?.data ?? JSON.stringify(request.body)) as RequestInit['body'];
  return {
    method,
    headers: await headersOf(prepared),
    // A redirect would turn a POST into a GET: no operation answers with one, and what does is no service.
    redirect: 'manual',
    ...(client.credentials ? { credentials: client.credentials } : {}),
    ...(body === undefined ? {} : { body }),
    ...(isStream(request.binary) ? { duplex: 'half' } : {}),
  };
};

/** An answer that says something else than done. */
const failureOf = (answer: Answer): ProblemError | undefined =>
  answer.status >= 200 && answer.status < 300 ? undefined : problemOf(answer, retryAfterSeconds(answer.headers));

const once = async (url: string, prepared: Prepared): Promise<Answer | ProblemError | ConnectionError> => {
  const { client, options } = prepared;
  const fetch = client.fetch ?? globalThis.fetch;
  const limits = { timeoutMs: options.timeoutMs ?? client.timeoutMs ?? 30_000, signal: options.signal };
  try {
    const answer = await attempt((...args) => fetch(...args), url, await initOf(prepared), limits);
    return failureOf(answer) ?? answer;
  } catch (error) {
    if (error instanceof ConnectionError) return error;
    throw error;
  }
};

/** Milliseconds until the next attempt; undefined if there is to be none. */
const waitAfter = (
  failure: ProblemError | ConnectionError,
  repeats: number,
  prepared: Prepared,
): number | undefined => {
  const { client, options, method, request, idempotencyKey } = prepared;
  if (repeats >= (options.maxRetries ?? client.maxRetries ?? 3)) return undefined;
  if (!isRepeatable(method, idempotencyKey, isStream(request.binary))) return undefined;
  if (failure instanceof ConnectionError) return waitBefore(repeats, undefined, client.maxWaitMs ?? 60_000);
  if (!isTemporary(failure.status, failure.meta.code)) return undefined;
  return waitBefore(repeats, failure.retryAfterSeconds, client.maxWaitMs ?? 60_000);
};

/** Whether the operation may have been carried out all the same. */
const isUncertain = (failure: ProblemError | ConnectionError): boolean =>
  failure instanceof ConnectionError || failure.status === 502 || failure.status === 504;

const untilAnswered = async (url: string, prepared: Prepared): Promise<Answer | undefined> => {
  let mayBeDone = false;
  for (let repeats = 0; ; repeats += 1) {
    const outcome = await once(url, prepared);
    if (!(outcome instanceof Error)) return outcome;
    // An earlier attempt deleted the object: its lost answer is not an error.
    if (prepared.method === 'DELETE' && mayBeDone && isProblem(outcome, 'NOT_FOUND')) return undefined;
    const wait = waitAfter(outcome, repeats, prepared);
    if (wait === undefined) throw outcome;
    await sleep(wait, prepared.options.signal);
    mayBeDone ||= isUncertain(outcome);
  }
};

/** The next page's cursor is in its address: `<…?cursor=…>; rel="next"`. */
const csvPage = ({ headers, body }: Answer): CsvPage => {
  const [, next] = /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '') ?? [];
  const nextCursor = next && new URL(next, 'http://service').searchParams.get('cursor');
  return { csv: typeof body === 'string' ? body : '', ...(nextCursor ? { nextCursor } : {}) };
};

/** The function that all operations of a client call. */
export const callWith = (client: MessagingOptions): Call => {
  const base = client.baseUrl.replace(/\/+$/, '');
  return async <Result>(method: Method, path: string, request: OperationRequest, options: KeyedOptions = {}) => {
    const idempotencyKey = request.keyed ? (options.idempotencyKey ?? newIdempotencyKey()) : undefined;
    const url = `${base}${path}${queryString(request.query)}`;
    const answer = await untilAnswered(url, { client, method, request, options, idempotencyKey });
    return (request.csv && answer ? csvPage(answer) : answer?.body) as Result;
  };
};
