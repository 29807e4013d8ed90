import { Problem } from './app/problem.ts';
import { currentToken, renewNow, SessionEnded } from './app/session.ts';

/** The service as the console uses it: every call goes through here. */

type Query = Readonly<Record<string, string | number | boolean | undefined>>;
interface CallOptions {
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** Makes a repeat of the call answer what the first one answered. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

const search = (query: Query = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

const request = async (method: string, path: string, token: string, options: CallOptions): Promise<Response> => {
  const { query, body, idempotencyKey, signal } = options;
  return fetch(`${path}${search(query)}`, {
    method,
    signal: signal ?? null,
    credentials: 'omit',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};

const answerOf = async <T>(response: Response): Promise<T> => {
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
  if (!response.ok) throw new Problem(response.status, json ?? {});
  return json as T;
};

/** Calls an operation. Renews the session once if its token is refused. Throws Problem; SessionEnded when nobody is signed in any more. */
const call = async <T>(method: string, path: string, options: CallOptions = {}): Promise<T> => {
  const token = await currentToken();
  const response = await request(method, path, token, options);
  if (response.status !== 401) return answerOf<T>(response);
  const again = await request(method, path, await renewNow(token), options);
  if (again.status === 401) throw new SessionEnded();
  return answerOf<T>(again);
};

export { Problem };

export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) => call<T>('GET', path, { query, signal }),
  post: <T>(path: string, body?: unknown, options: Omit<CallOptions, 'body'> = {}) =>
    call<T>('POST', path, { ...options, body }),
  put: <T>(path: string, body: unknown) => call<T>('PUT', path, { body }),
  patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, { body }),
  remove: (path: string, query?: Query) => call<undefined>('DELETE', path, { query }),
};

/** A page of a list that pages by number. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}
/** A page of a list that pages by cursor; `nextCursor` is absent at the end. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | null;
}
