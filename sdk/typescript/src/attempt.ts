import { ConnectionError } from './problem.ts';

/** An answer that has been read in whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  /** The JSON, else the text; undefined if there is none. */
  readonly body: unknown;
}

const read = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  if (text === '') return undefined;
  if (!/\bjson\b/.test(response.headers.get('content-type') ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * One request and its answer. Throws a `ConnectionError` if none came in time, and the signal's reason if it was aborted.
 */
export const attempt = async (
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  { timeoutMs, signal }: Limits,
): Promise<Answer> => {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const response = await fetch(url, { ...init, signal: controller.signal });
    return {
      status: response.status,
      headers: response.headers,
      requestId: response.headers.get('x-request-id') ?? undefined,
      body: await read(response),
    };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (controller.signal.aborted)
      throw new ConnectionError('timeout', `${init.method} ${url}: no answer within ${timeoutMs} ms.`, cause);
    throw new ConnectionError('network', `${init.method} ${url}: the connection failed.`, cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
};
