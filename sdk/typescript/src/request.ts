/** The options of every call. */
export interface RequestOptions {
  /** Ends the call, also while it waits to repeat an attempt; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until an attempt without a complete answer counts as failed. */
  readonly timeoutMs?: number | undefined;
  /** How often an attempt is repeated where that is safe. */
  readonly maxRetries?: number | undefined;
  /** Headers of this call, which replace those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The options of a call whose operation has an idempotency key. */
export interface KeyedOptions extends RequestOptions {
  /** 1 to 255 visible ASCII characters: the same key acts once, for 24 hours. Without it, each call has a key of its own. */
  readonly idempotencyKey?: string | undefined;
}

/** Bytes to send, and what they are. A stream can be sent only once, so that such a call is never repeated. */
export interface Binary<ContentType extends string = string> {
  readonly contentType: ContentType;
  readonly data: Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;
}

/** A page of an export as CSV. */
export interface CsvPage {
  /** The rows, after a line of names. */
  readonly csv: string;
  /** Absent at the end. */
  readonly nextCursor?: string;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The request of an operation. */
export interface OperationRequest {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly binary?: Binary | undefined;
  readonly query?: object | undefined;
  /** Whether the operation takes an idempotency key. */
  readonly keyed?: boolean;
  /** Whether the operation needs no credential: none is sent. */
  readonly open?: boolean;
  /** Asks for CSV; the answer is a `CsvPage`. */
  readonly csv?: boolean;
}

/** Calls an operation: repeats what is safe to repeat, and throws a `ProblemError` or a `ConnectionError`. */
export type Call = <Answer>(
  method: Method,
  path: string,
  request: OperationRequest,
  options?: KeyedOptions,
) => Promise<Answer>;

/** A path with encoded parameters. Throws where a parameter would name another path: an empty one, `.` or `..`. */
export const path = (parts: TemplateStringsArray, ...parameters: readonly string[]): string =>
  parts.reduce((start, part, index) => {
    const parameter = String(parameters[index - 1] ?? '');
    if (/^\.{0,2}$/.test(parameter)) throw new TypeError(`An id is missing in the path ${parts.join('…')}.`);
    return `${start}${encodeURIComponent(parameter)}${part}`;
  });

/** `?name=value&…` of the parameters that have a value; empty if none has. */
export const queryString = (query: object | undefined): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
};
