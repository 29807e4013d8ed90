import * as z from 'zod';
import type { ProviderIo } from '../../domain/message/provider-port.ts';
import { callProvider, jsonOf, type ProviderCall, type ProviderReply, parseJson, retryAfterSeconds } from '../http.ts';

/** Settings of every client of Meta's Graph API; each adds its own, and the permissions that its token needs. */
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

/** The app id, where the Graph API requires one in the path. */
export const appIdSetting = z
  .string()
  .regex(/^\d{1,32}$/)
  .optional()
  .describe('The id of the Meta app. Examples of media headers are uploaded by it when a template is submitted.');

/** Options of a client. Settings that an operator entered are parsed with `graphSettings`. */
export interface GraphOptions {
  readonly accessToken: string;
  readonly baseUrl: string;
  readonly version: string;
  /** Default timeout of a whole exchange, in ms. */
  readonly timeoutMs: number;
}

/** A request's content; at most one of `json`, `form` and `stream`. */
export interface GraphRequest {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  /** multipart/form-data, for uploads. */
  readonly form?: FormData;
  /** A body too large to buffer, with its content type; `length` in bytes if known. */
  readonly stream?: {
    readonly body: ReadableStream<Uint8Array>;
    readonly contentType: string;
    readonly length?: number;
  };
  /** Added to the default headers, or replacing them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Longest response body that is read, in bytes. */
  readonly maxBytes?: number;
}

/**
 * An error of the Graph API (developers.facebook.com/docs/graph-api/guides/error-handling). `message` and `details` may contain request
 * data and must not be logged; log `describeGraphError` instead.
 */
export interface GraphError {
  readonly kind: 'error';
  readonly httpStatus: number;
  readonly code: number;
  readonly subcode?: number;
  readonly message: string;
  /** error_user_msg or error_data.details: the longer explanation of some errors. */
  readonly details?: string;
  /** True if Meta says that the same request may succeed later. */
  readonly isTransient: boolean;
  readonly retryAfterSeconds?: number;
  /** Identifies the request for Meta's support. */
  readonly fbtraceId?: string;
}

/**
 * Result of a request. `not_sent`: certainly nothing left this machine. `lost` and `unreadable`: it may have been processed; `unreadable`
 * is a response that is neither of the expected shape nor a Graph API error.
 */
export type GraphReply<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | GraphError
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string }
  | { readonly kind: 'unreadable'; readonly httpStatus: number };

export interface GraphClient {
  /** Makes one request and parses the response by a schema. Never throws or retries. `path` starts after the version: `123/messages`. */
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

/** X-Business-Use-Case-Usage (docs/graph-api/overview/rate-limiting); its waiting time is in minutes. */
const usage = z.record(
  z.string(),
  z.array(z.object({ estimated_time_to_regain_access: z.number().nonnegative().optional() })),
);

const retryAfterOf = (headers: Pick<Headers, 'get'>, now: number): number | undefined => {
  const named = retryAfterSeconds(headers.get('retry-after'), now);
  if (named !== undefined) return named;
  const found = parseJson(usage, headers.get('x-business-use-case-usage') ?? '{}') ?? {};
  const minutes = Object.values(found).flatMap((each) => each.map((use) => use.estimated_time_to_regain_access ?? 0));
  const longest = Math.max(0, ...minutes);
  return longest > 0 ? Math.ceil(longest * 60) : undefined;
};

const errorOf = (reply: ProviderReply & { kind: 'answered' }, now: number): GraphError | undefined => {
  const error = jsonOf(problem, reply)?.error;
  if (!error) return undefined;
  const retryAfter = retryAfterOf(reply.headers, now);
  const details = error.error_data?.details ?? error.error_user_msg;
  return {
    kind: 'error',
    httpStatus: reply.status,
    code: error.code,
    ...(error.error_subcode === undefined ? {} : { subcode: error.error_subcode }),
    message: error.message,
    ...(details === undefined ? {} : { details }),
    isTransient: error.is_transient ?? false,
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
    ...(error.fbtrace_id === undefined ? {} : { fbtraceId: error.fbtrace_id }),
  };
};

const urlOf = ({ baseUrl, version }: GraphOptions, path: string, query: GraphRequest['query']): string => {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${version}/${path.replace(/^\/+/, '')}`);
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
};

/** The body and its headers. For a form, `fetch` sets the content type, which contains the boundary. */
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

/** Opens a client for one access token. The token is sent in the Authorization header only, never in a URL. */
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
      ...(request.maxBytes === undefined ? {} : { maxBytes: request.maxBytes }),
    });
    if (reply.kind !== 'answered') return reply;
    // Errors first: some come with status 200.
    const error = errorOf(reply, io.now());
    if (error) return error;
    const value = reply.status >= 200 && reply.status < 300 ? jsonOf(schema, reply) : undefined;
    return value === undefined ? { kind: 'unreadable', httpStatus: reply.status } : { kind: 'ok', value };
  },
});

/** The loggable part of an error: its codes, and the trace id for Meta's support if it looks like one. */
export const describeGraphError = ({ httpStatus, code, subcode, fbtraceId }: GraphError): string => {
  const trace = fbtraceId && /^[\w-]{1,64}$/.test(fbtraceId) ? ` (trace ${fbtraceId})` : '';
  return `meta: HTTP ${httpStatus} code ${code}${subcode === undefined ? '' : `/${subcode}`}${trace}`;
};
