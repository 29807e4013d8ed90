/**
 * Every problem that the API returns (docs/spec/errors.md#statuses-and-codes). `code` is the code in the body; the status is part of the
 * key because 413 and 415 share BAD_REQUEST.
 */
export const PROBLEMS = {
  BAD_REQUEST: { status: 400, code: 'BAD_REQUEST', title: 'The request could not be understood' },
  UNAUTHORIZED: { status: 401, code: 'UNAUTHORIZED', title: 'A valid credential is required' },
  PAYMENT_REQUIRED: { status: 402, code: 'PAYMENT_REQUIRED', title: 'The wallet balance is insufficient' },
  FORBIDDEN: { status: 403, code: 'FORBIDDEN', title: 'The credential lacks the permission' },
  NOT_FOUND: { status: 404, code: 'NOT_FOUND', title: 'There is no such object' },
  METHOD_NOT_ALLOWED: { status: 405, code: 'METHOD_NOT_ALLOWED', title: 'The path does not have this method' },
  CONFLICT: { status: 409, code: 'CONFLICT', title: 'The request conflicts with the current state' },
  PRECONDITION_FAILED: { status: 412, code: 'PRECONDITION_FAILED', title: 'A precondition is not met' },
  PAYLOAD_TOO_LARGE: { status: 413, code: 'BAD_REQUEST', title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: 'BAD_REQUEST', title: 'The media type is not supported' },
  VALIDATION_ERROR: { status: 422, code: 'VALIDATION_ERROR', title: 'The request violates a rule of the contract' },
  RATE_LIMITED: { status: 429, code: 'RATE_LIMITED', title: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, code: 'INTERNAL_ERROR', title: 'Something failed on our side' },
  DEPENDENCY_FAILED: { status: 502, code: 'DEPENDENCY_FAILED', title: 'A provider failed' },
  SERVICE_UNAVAILABLE: { status: 503, code: 'SERVICE_UNAVAILABLE', title: 'The service cannot answer right now' },
} as const;

/** A problem's name: what contracts declare and what rules refuse with. */
export type ProblemName = keyof typeof PROBLEMS;

/** The error codes of /v1, each with its recommended action (docs/spec/errors.md#codes-of-v1). */
export const V1_CODES = {
  invalid_request: 'Correct the request and send it again.',
  invalid_phone: 'Send an existing number in E.164, such as +5511999990000.',
  invalid_recipient: "Send a recipient in the channel's own format.",
  invalid_template_variable: 'Send every variable in the format that the template expects.',
  unauthorized: 'Send a valid API key of this environment.',
  insufficient_funds: 'Credit the wallet and send again with the same Idempotency-Key.',
  forbidden: 'Use a credential that has the scope.',
  not_found: 'Check the identifier and the environment of the credential.',
  window_closed: 'Use an approved template.',
  conflict: 'Use another Idempotency-Key for another body; wait for Retry-After if it is given.',
  precondition_failed: 'Meet the precondition that the detail names.',
  payload_too_large: 'Send a smaller body.',
  rate_limited: 'Wait the number of seconds in Retry-After.',
  internal_error: 'Try again with the same Idempotency-Key; if it persists, report the request id to support.',
  provider_failed:
    'Set up the provider that the detail names, then send again with the same Idempotency-Key; nothing was sent.',
  unavailable: 'Try again with the same Idempotency-Key after the number of seconds in Retry-After.',
} as const;
export type V1Code = keyof typeof V1_CODES;

/** The default /v1 code of each problem. */
export const V1_CODE_OF: Readonly<Record<ProblemName, V1Code>> = {
  BAD_REQUEST: 'invalid_request',
  UNAUTHORIZED: 'unauthorized',
  PAYMENT_REQUIRED: 'insufficient_funds',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not_found',
  METHOD_NOT_ALLOWED: 'invalid_request',
  CONFLICT: 'conflict',
  PRECONDITION_FAILED: 'precondition_failed',
  PAYLOAD_TOO_LARGE: 'payload_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'invalid_request',
  VALIDATION_ERROR: 'invalid_request',
  RATE_LIMITED: 'rate_limited',
  INTERNAL_ERROR: 'internal_error',
  DEPENDENCY_FAILED: 'provider_failed',
  SERVICE_UNAVAILABLE: 'unavailable',
};

/** A validation error: the field as a dotted path, and what is wrong with it. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** Details of a refusal. `detail` never repeats a value that the caller sent. */
export interface RefusalDetails {
  readonly detail: string;
  /** Sub-codes (`meta.code`, `meta.motivo`) and ids that help the caller (docs/spec/errors.md#sub-codes). */
  readonly meta?: Readonly<Record<string, string | number>>;
  readonly errors?: readonly FieldError[];
  /** The /v1 code, if it is more specific than the problem's default (docs/spec/errors.md#codes-of-v1). */
  readonly v1Code?: V1Code;
  /** Sent as the Retry-After header, in whole seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * An expected error, returned rather than thrown, so that the compiler checks handlers against the problems that their contract declares.
 * Unexpected failures (a lost connection, a bug) are thrown.
 */
export class Refusal<out N extends ProblemName = ProblemName> {
  readonly name: N;
  readonly details: RefusalDetails;
  constructor(name: N, details: RefusalDetails) {
    this.name = name;
    this.details = details;
  }
}

/** Creates a refusal; a string is its `detail`. */
export const refuse = <const N extends ProblemName>(name: N, details: RefusalDetails | string): Refusal<N> =>
  new Refusal(name, typeof details === 'string' ? { detail: details } : details);

/** Narrows an outcome to a refusal. */
export const isRefusal = <T, N extends ProblemName>(outcome: T | Refusal<N>): outcome is Refusal<N> =>
  outcome instanceof Refusal;

/** Formats a refusal as a v1 error: code, detail with the first invalid field, recommended action and reason. */
export const toV1Error = (refusal: Refusal) => {
  const code = refusal.details.v1Code ?? V1_CODE_OF[refusal.name];
  const { meta, errors: [error] = [] } = refusal.details;
  const detail = error
    ? `${refusal.details.detail} ${[error.path, error.message].filter(Boolean).join(': ')}`
    : refusal.details.detail;
  const reason = meta?.motivo;
  return { code, detail, action: V1_CODES[code], ...(typeof reason === 'string' ? { reason } : {}) };
};

/** Renames the fields of a refusal; a name also covers everything below it. */
export const renamedFields = <N extends ProblemName>(
  { name, details }: Refusal<N>,
  names: Readonly<Record<string, string>>,
): Refusal<N> => {
  const renamed = (path: string): string => {
    const from = Object.keys(names)
      .filter((each) => path === each || path.startsWith(`${each}.`))
      .reduce<string | undefined>(
        (longest, each) => (each.length > (longest?.length ?? -1) ? each : longest),
        undefined,
      );
    return from === undefined ? path : `${names[from]}${path.slice(from.length)}`;
  };
  const errors = details.errors?.map(({ path, message }) => ({ path: renamed(path), message }));
  return refuse(name, errors ? { ...details, errors } : details);
};

/** A dependency that timed out or is overloaded after bounded retries: becomes 503 with Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly retryAfterSeconds: number;
  constructor(message: string, options?: { cause?: unknown; retryAfterSeconds?: number }) {
    super(message, { cause: options?.cause });
    this.retryAfterSeconds = options?.retryAfterSeconds ?? 1;
  }
}
