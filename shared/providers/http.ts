import { createHash, timingSafeEqual } from 'node:crypto';
import type * as z from 'zod';
import { orUndefined } from '../domain/core/or-undefined.ts';
import type { ProviderIo, RefusalCause, RefusedAnswer, TextAnswer } from '../domain/message/provider-port.ts';

export interface ProviderCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | ReadableStream<Uint8Array>;
  /** For the whole exchange, including the response body. */
  readonly timeoutMs: number;
  /** Longest response body that is read, in bytes; 64 KB by default. */
  readonly maxBytes?: number;
}

/** Result of a call. `not_sent`: certainly no byte of the request left this machine. `lost`: it may have been processed. */
export type ProviderReply =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Pick<Headers, 'get'>;
      readonly body: string;
    }
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

/** Responses are a few hundred bytes; the longest is a log entry with its text. */
const MAX_BYTES = 64 * 1024;

/** Error codes of failures before the request could be written: DNS, connect, TLS handshake (Node.js, errors and tls). */
const BEFORE_SENDING = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

interface SocketFault {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
}

/** The error code if the failure certainly happened before the request was written; otherwise undefined. */
export const faultBeforeSending = (fault: unknown): string | undefined => {
  for (let at = fault, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code, syscall } = at as SocketFault;
    // A connect timeout and a response timeout have the same code; only the system call distinguishes them.
    if (typeof code === 'string' && (BEFORE_SENDING.has(code) || syscall === 'connect')) return code;
  }
  return undefined;
};

const faultName = (fault: unknown): string => {
  if (!(fault instanceof Error)) return 'unknown fault';
  // `fetch` wraps the error of the socket.
  const { code } = (fault.cause instanceof Error ? fault.cause : fault) as SocketFault;
  return typeof code === 'string' ? code : fault.name;
};

const readBounded = async (response: Response, most: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > most) throw new RangeError('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/**
 * Options of a streamed body. `duplex: 'half'` is mandatory for one (Fetch Standard, RequestDuplex). `redirect: 'error'` with `window:
 * null` keeps fetch from cloning the request (HTTP-network-or-cache fetch, step 2), which would buffer the whole body. A redirect becomes
 * `lost`.
 */
const STREAMED = { duplex: 'half', redirect: 'error', window: null } as const;

/** By `fetch`, which frames forms and streams. */
const callByFetch = async (io: ProviderIo, call: ProviderCall, maxBytes: number): Promise<TextAnswer> => {
  const { url, method, headers, body, timeoutMs } = call;
  const response = await io.fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? STREAMED : { redirect: 'manual' as const }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, headers: response.headers, body: await readBounded(response, maxBytes) };
};

/** Makes one call. Never throws, retries or follows a redirect: either could send a message twice. */
export const callProvider = async (io: ProviderIo, call: ProviderCall): Promise<ProviderReply> => {
  const { body, maxBytes = MAX_BYTES } = call;
  try {
    const isText = body === undefined || typeof body === 'string';
    const answer = isText ? io.callText({ ...call, body, maxBytes }) : callByFetch(io, call, maxBytes);
    return { kind: 'answered', ...(await answer) };
  } catch (fault) {
    const code = faultBeforeSending(fault);
    return code ? { kind: 'not_sent', detail: code } : { kind: 'lost', detail: faultName(fault) };
  }
};

/** Parses JSON by a schema; undefined if either fails. */
export const parseJson = <T>(schema: z.ZodType<T>, text: string): T | undefined =>
  orUndefined(() => schema.safeParse(JSON.parse(text)).data);

/** Parses a response as JSON by a schema; undefined if its content type is not JSON or parsing fails. */
export const jsonOf = <T>(
  schema: z.ZodType<T>,
  { headers, body }: { headers: Pick<Headers, 'get'>; body: string },
): T | undefined => (/\bjson\b/i.test(headers.get('content-type') ?? '') ? parseJson(schema, body) : undefined);

/** A Retry-After header, seconds or date, as whole seconds from now (RFC 9110, 10.2.3). `now` in ms. */
export const retryAfterSeconds = (header: string | null | undefined, now: number): number | undefined => {
  if (!header) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
};

/** A refusal; `retryAfter` in seconds. */
export const refusal = (cause: RefusalCause, detail: string, retryAfter?: number | undefined): RefusedAnswer => ({
  kind: 'refused',
  cause,
  detail,
  ...(retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }),
});

/** Constant-time comparison that does not leak the length either. */
export const sameSecret = (one: string, other: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
};
