import { createHash, timingSafeEqual } from 'node:crypto';
import type * as z from 'zod';
import type { ProviderIo, RefusalCause, RefusedAnswer } from '../domain/messages/provider.ts';

/** One request to a provider, bounded in time and in the size of its answer. */
export interface ProviderCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData | ReadableStream<Uint8Array>;
  /** For the whole exchange, the answer's body included. */
  readonly timeoutMs: number;
  /** The longest answer that is read, in bytes; 64 KB where nothing is said. */
  readonly mostBytes?: number;
}

/** What became of a call. `not_sent` is certain: no byte of the request left this machine. After that, all is `lost`. */
export type ProviderReply =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

/** Answers of these interfaces are a few hundred bytes; a log entry with its text is the longest. */
const MOST_BYTES = 64 * 1024;

/** Faults of a socket before it could carry a request: name resolution, connecting, the TLS handshake (Node.js, errors and tls). */
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

/** The code of a fault that struck before the request could leave; undefined when it may have left. */
export const faultBeforeSending = (fault: unknown): string | undefined => {
  for (let at = fault, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const { code, syscall } = at as SocketFault;
    // A connection that timed out has the same code as an answer that did; only its system call tells them apart.
    if (typeof code === 'string' && (BEFORE_SENDING.has(code) || syscall === 'connect')) return code;
  }
  return undefined;
};

const faultName = (fault: unknown): string => {
  const cause = fault instanceof Error ? fault.cause : undefined;
  const code = cause instanceof Error ? (cause as SocketFault).code : undefined;
  if (typeof code === 'string') return code;
  return fault instanceof Error ? fault.name : 'unknown fault';
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
 * What is streamed leaves before the answer's head has come; fetch wants that said (Fetch Standard, RequestDuplex). Only with these
 * two is the request not cloned (HTTP-network-or-cache fetch, step 2), and a clone would hold all of the body. A redirect is `lost` then.
 */
const STREAMED = { duplex: 'half', redirect: 'error', window: null } as const;

/** Makes one call. Never throws, never repeats and never follows a redirect: either could send a text twice. */
export const callProvider = async (io: ProviderIo, call: ProviderCall): Promise<ProviderReply> => {
  const { url, method, headers, body, timeoutMs, mostBytes = MOST_BYTES } = call;
  try {
    const response = await io.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? STREAMED : { redirect: 'manual' as const }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      kind: 'answered',
      status: response.status,
      headers: response.headers,
      body: await readBounded(response, mostBytes),
    };
  } catch (fault) {
    const code = faultBeforeSending(fault);
    return code ? { kind: 'not_sent', detail: code } : { kind: 'lost', detail: faultName(fault) };
  }
};

/** Reads a text as JSON of a shape; undefined when it is neither. */
export const parseJson = <T>(schema: z.ZodType<T>, text: string): T | undefined => {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** Reads a reply as JSON of a shape; undefined when its content type says otherwise or it does not parse. */
export const jsonOf = <T>(
  schema: z.ZodType<T>,
  { headers, body }: { headers: Headers; body: string },
): T | undefined => (/\bjson\b/i.test(headers.get('content-type') ?? '') ? parseJson(schema, body) : undefined);

/** A Retry-After header in whole seconds from now, whether it came as seconds or as a date (RFC 9110, 10.2.3). */
export const retryAfterSeconds = (header: string | null | undefined, now: number): number | undefined => {
  if (!header) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
};

/** A refusal, with the waiting time where the provider named one. */
export const refusal = (cause: RefusalCause, detail: string, wait?: number | undefined): RefusedAnswer => ({
  kind: 'refused',
  cause,
  detail,
  ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
});

/** Compares two secrets in a time that tells nothing of where they differ, nor of their lengths. */
export const sameSecret = (one: string, other: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
};
