import type { Problem } from './generated/types.gen.ts';
import type { ProblemMeta } from './problem-meta.ts';

/** The codes of problems. `UNKNOWN` is an answer that is no problem document: of a proxy, say. */
export type ProblemCode = Problem['code'] | 'UNKNOWN';

/** A problem document as it came: of a newer service, or of a proxy, which has none. */
type Given<Code> = Partial<Omit<Problem, 'code'>> & { readonly code: Code; readonly status: number };

/** The error of a failed call: a `ProblemError` if the service refused it, a `ConnectionError` if no answer came. */
export class MessagingError extends Error {
  override readonly name: string = 'MessagingError';
}

/** An answer that is an error. Decide by `code`, and by `meta` where the operation documents it. */
export class ProblemError<Code extends ProblemCode = ProblemCode> extends MessagingError {
  override readonly name: string = 'ProblemError';
  readonly code: Code;
  readonly status: number;
  /** The kind of error, in words. */
  readonly title: string;
  /** The fault in this request. */
  readonly detail: string;
  /** The address of a page that explains the code. */
  readonly type: string;
  /** Finds the call in the logs of the service: quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** Of a body or a query that breaks the contract: the places and what is wrong there. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** Sub-codes and ids; empty where the problem has none. */
  readonly meta: ProblemMeta<Code>;
  /** On `/v1`: what the caller is advised to do. */
  readonly action: string | undefined;
  /** After how many seconds to ask again, where the answer says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Given<Code>, retryAfterSeconds?: number) {
    const title = problem.title ?? `HTTP ${problem.status}`;
    super(problem.detail ? `${title}: ${problem.detail}` : title);
    this.code = problem.code;
    this.status = problem.status;
    this.title = title;
    this.detail = problem.detail ?? '';
    this.type = problem.type ?? 'about:blank';
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.meta = (problem.meta ?? {}) as ProblemMeta<Code>;
    this.action = problem.action;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A `ProblemError` whose `meta` is known once its `code` is compared. */
export type AnyProblemError = { [Code in ProblemCode]: ProblemError<Code> }[ProblemCode];

/** Whether an error is a problem, and if a code is given, one of that code. */
export function isProblem(error: unknown): error is AnyProblemError;
export function isProblem<Code extends ProblemCode>(error: unknown, code: Code): error is ProblemError<Code>;
export function isProblem(error: unknown, code?: ProblemCode): boolean {
  return error instanceof ProblemError && (code === undefined || error.code === code);
}

/** No answer: the connection failed, or the answer did not come in time. Whether the operation was carried out is unknown. */
export class ConnectionError extends MessagingError {
  override readonly name: string = 'ConnectionError';
  readonly reason: 'network' | 'timeout';

  constructor(reason: 'network' | 'timeout', message: string, cause: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The error of an answer: its problem document, or the information available without one. */
export const problemOf = (
  answer: { readonly status: number; readonly requestId: string | undefined; readonly body: unknown },
  retryAfterSeconds: number | undefined,
): ProblemError => {
  const { status, requestId, body } = answer;
  const known = isRecord(body) && typeof body.code === 'string' ? (body as unknown as Given<ProblemCode>) : undefined;
  const found = requestId === undefined ? {} : { requestId };
  return new ProblemError<ProblemCode>({ ...found, ...(known ?? { code: 'UNKNOWN' }), status }, retryAfterSeconds);
};
