import * as z from 'zod';
import type { ProviderIo } from '../../domain/messages/provider.ts';
import { callProvider, jsonOf, type ProviderCall, type ProviderReply, retryAfterSeconds } from '../http.ts';

/** Where and how Meta's Graph API is reached; each use of it adds its own settings and says which permissions the token needs. */
export const graphSettings = {
  accessToken: z.string().min(1),
  baseUrl: z.url().default('https://graph.facebook.com').describe("Meta's Graph API, or a stand-in for it."),
  version: z
    .string()
    .regex(/^v\d{1,3}\.\d$/)
    .default('v24.0')
    .describe('The version of the Graph API (developers.facebook.com/docs/graph-api/changelog).'),
  timeoutMs: z.int().min(100).max(11_000).default(10_000).describe('How long Meta may take to answer, in ms.'),
};

/** The app whose number is used where the Graph API wants it in an address. */
export const appIdSetting = z
  .string()
  .regex(/^\d{1,32}$/)
  .optional()
  .describe('The id of the Meta app. Examples of media headers are uploaded by it when a template is submitted.');

/** Opens a client; whoever reads it from settings parses them with `graphSettings`. */
export interface GraphOptions {
  readonly accessToken: string;
  readonly baseUrl: string;
  readonly version: string;
  /** For a whole exchange, in ms, where the request names no other. */
  readonly timeoutMs: number;
}

/** What a request carries; at most one of `json`, `form` and `stream`. */
export interface GraphRequest {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  /** multipart/form-data, as uploads take it. */
  readonly form?: FormData;
  /** A body that is too large to be held, with its content type; `length` in bytes where it is known. */
  readonly stream?: {
    readonly body: ReadableStream<Uint8Array>;
    readonly contentType: string;
    readonly length?: number;
  };
  /** Beside those of every request, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** The longest answer that is read, in bytes. */
  readonly mostBytes?: number;
}

/**
 * An error in the Graph API's own form (developers.facebook.com/docs/graph-api/guides/error-handling). `message` and `details` may
 * repeat what was sent and belong into no log; `graphWords` is what may be logged.
 */
export interface GraphError {
  readonly kind: 'error';
  readonly httpStatus: number;
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  /** error_user_msg or error_data.details: the longer words of some errors. */
  readonly details?: string;
  /** The platform says that the same request may pass later. */
  readonly isTransient: boolean;
  readonly retryAfterSeconds?: number;
  /** What Meta's support finds the request by. */
  readonly fbtraceId?: string;
}

/**
 * What became of a request. `not_sent` is certain: nothing left this machine. `lost` and `unreadable` are not: it may have been done.
 * `unreadable` is an answer that is neither of the expected shape nor an error of the Graph API.
 */
export type GraphReply<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | GraphError
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string }
  | { readonly kind: 'unreadable'; readonly httpStatus: number };

export interface GraphClient {
  /** Makes one request and reads its answer by a schema. Never throws, never repeats. `path` begins after the version: `123/messages`. */
  request<T>(
    method: ProviderCall['method'],
    path: string,
    schema: z.ZodType<T>,
    request?: GraphRequest,
  ): Promise<GraphReply<T>>;
}

const problem = z.object({
  error: z.object({
    message: z.string().default(''),
    code: z.int(),
    error_subcode: z.int().optional(),
    is_transient: z.boolean().optional(),
    error_user_msg: z.string().optional(),
    error_data: z.object({ details: z.string().optional() }).optional().catch(undefined),
    fbtrace_id: z.string().optional(),
  }),
});

/** X-Business-Use-Case-Usage (docs/graph-api/overview/rate-limiting): the waiting time is in minutes. */
const usage = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().nonnegative().optional() })),
);

const waitOf = (headers: Headers, now: number): number | undefined => {
  const named = retryAfterSeconds(headers.get('retry-after'), now);
  if (named !== undefined) return named;
  try {
    const found = usage.safeParse(JSON.parse(headers.get('x-business-use-case-usage') ?? '{}')).data ?? {};
    const minutes = Object.values(found).flatMap((each) => each.map((use) => use.estimated_time_to_regain_access ?? 0));
    const longest = Math.max(0, ...minutes);
    return longest > 0 ? Math.ceil(longest * 60) : undefined;
  } catch {
    return undefined;
  }
};

const errorOf = (reply: ProviderReply & { kind: 'answered' }, now: number): GraphError | undefined => {
  const error = jsonOf(problem, reply)?.error;
  if (!error) return undefined;
  const wait = waitOf(reply.headers, now);
  const details = error.error_data?.details ?? error.error_user_msg;
  return {
    kind: 'error',
    httpStatus: reply.status,
    code: error.code,
    ...(error.error_subcode === undefined ? {} : { subcode: error.error_subcode }),
    message: error.message,
    ...(details === undefined ? {} : { details }),
    isTransient: error.is_transient ?? false,
    ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
    ...(error.fbtrace_id === undefined ? {} : { fbtraceId: error.fbtrace_id }),
  };
};

const urlOf = ({ baseUrl, version }: GraphOptions, path: string, query: GraphRequest['query']): string => {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${version}/${path.replace(/^\/+/, '')}`);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
};

/** The body and its headers. A form names its own boundary, so its content type is left to `fetch`. */
const bodyOf = ({ json, form, stream }: GraphRequest): Pick<ProviderCall, 'headers' | 'body'> => {
  if (json !== undefined) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form) return { headers: {}, body: form };
  if (!stream) return { headers: {} };
  const { body, contentType, length } = stream;
  return {
    headers: { 'content-type': contentType, ...(length === undefined ? {} : { 'content-length': String(length) }) },
    body,
  };
};

/** Opens a client of the Graph API for one access token. The token travels in the Authorization header alone, never in an address. */
export const openGraph = (io: ProviderIo, options: GraphOptions): GraphClient => ({
  request: async (method, path, schema, request = {}) => {
    const { headers, ...rest } = bodyOf(request);
    const reply = await callProvider(io, {
      url: urlOf(options, path, request.query),
      method,
      headers: {
        authorization: `Bearer ${options.accessToken}`,
        accept: 'application/json',
        ...headers,
        ...request.headers,
      },
      ...rest,
      timeoutMs: request.timeoutMs ?? options.timeoutMs,
      ...(request.mostBytes === undefined ? {} : { mostBytes: request.mostBytes }),
    });
    if (reply.kind !== 'answered') return reply;
    // Errors are read first: some come with status 200.
    const error = errorOf(reply, io.now());
    if (error) return error;
    const value = reply.status >= 200 && reply.status < 300 ? jsonOf(schema, reply) : undefined;
    return value === undefined ? { kind: 'unreadable', httpStatus: reply.status } : { kind: 'ok', value };
  },
});

/** What may be logged of an error: its codes, and the trace id that Meta's support asks for, if it has the form of one. */
export const graphWords = ({ httpStatus, code, subcode, fbtraceId }: GraphError): string => {
  const trace = fbtraceId && /^[\w-]{1,64}$/.test(fbtraceId) ? ` (trace ${fbtraceId})` : '';
  return `meta: HTTP ${httpStatus} code ${code}${subcode === undefined ? '' : `/${subcode}`}${trace}`;
};
