import type { ProblemName } from '../shared/domain/core/errors.ts';
import { PROBLEMS } from '../shared/domain/core/errors.ts';
import { BEARER_CHALLENGE, problemBody } from '../shared/runtime/problem.ts';

/** An error that API Gateway answers by itself, without calling a function. */
export interface GatewayError {
  readonly problem: ProblemName;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A 401 must carry a challenge (RFC 9110, 15.5.2). */
const CHALLENGE = { 'WWW-Authenticate': BEARER_CHALLENGE } as const;
const RETRY = { 'Retry-After': '1' } as const;
const UNKNOWN_PATH = { problem: 'NOT_FOUND', detail: 'There is no operation at this path.' } as const;
const NO_CREDENTIAL = 'Send `Authorization: Bearer` with an API key of this environment.';
const OUR_FAULT = 'Something failed on our side; the request id finds it in the log.';

/**
 * Every gateway response type of API Gateway; both the CDK templates and the local stack use this table. The body follows the contract of
 * the called path. EXPIRED_TOKEN, INVALID_SIGNATURE and MISSING_AUTHENTICATION_TOKEN mean an unknown path: no operation uses AWS
 * signatures, and on an unknown path API Gateway treats any `Authorization` header as one.
 */
export const GATEWAY_ERRORS = {
  ACCESS_DENIED: { problem: 'UNAUTHORIZED', detail: NO_CREDENTIAL, headers: CHALLENGE },
  API_CONFIGURATION_ERROR: { problem: 'INTERNAL_ERROR', detail: OUR_FAULT },
  AUTHORIZER_CONFIGURATION_ERROR: { problem: 'INTERNAL_ERROR', detail: OUR_FAULT },
  AUTHORIZER_FAILURE: {
    problem: 'SERVICE_UNAVAILABLE',
    detail: 'The credential could not be checked right now; try again.',
    headers: RETRY,
  },
  BAD_REQUEST_BODY: { problem: 'BAD_REQUEST', detail: 'The body could not be read.' },
  BAD_REQUEST_PARAMETERS: { problem: 'BAD_REQUEST', detail: 'The request could not be read.' },
  DEFAULT_4XX: { problem: 'BAD_REQUEST', detail: 'The request could not be read.' },
  DEFAULT_5XX: { problem: 'INTERNAL_ERROR', detail: OUR_FAULT },
  EXPIRED_TOKEN: UNKNOWN_PATH,
  INTEGRATION_FAILURE: { problem: 'INTERNAL_ERROR', detail: OUR_FAULT },
  INTEGRATION_TIMEOUT: {
    problem: 'SERVICE_UNAVAILABLE',
    detail: 'The service did not answer in time; try again with the same Idempotency-Key.',
    headers: RETRY,
  },
  INVALID_API_KEY: { problem: 'UNAUTHORIZED', detail: NO_CREDENTIAL, headers: CHALLENGE },
  INVALID_SIGNATURE: UNKNOWN_PATH,
  MISSING_AUTHENTICATION_TOKEN: UNKNOWN_PATH,
  QUOTA_EXCEEDED: { problem: 'RATE_LIMITED', detail: 'The quota is used up; try again later.', headers: RETRY },
  REQUEST_TOO_LARGE: {
    problem: 'PAYLOAD_TOO_LARGE',
    detail:
      'The body is over the limit of this path; send large media through `POST /numbers/{numberId}/media/uploads`.',
  },
  RESOURCE_NOT_FOUND: UNKNOWN_PATH,
  THROTTLED: {
    problem: 'RATE_LIMITED',
    detail: 'The service takes no more requests this second; try again.',
    headers: RETRY,
  },
  UNAUTHORIZED: { problem: 'UNAUTHORIZED', detail: NO_CREDENTIAL, headers: CHALLENGE },
  UNSUPPORTED_MEDIA_TYPE: { problem: 'UNSUPPORTED_MEDIA_TYPE', detail: 'The path does not take this media type.' },
  WAF_FILTERED: { problem: 'FORBIDDEN', detail: 'The request was refused by the firewall.' },
} as const satisfies Record<string, GatewayError>;

export type GatewayErrorType = keyof typeof GATEWAY_ERRORS;

/** A path that no operation has. */
export const UNKNOWN_PATH_ERROR: GatewayError = UNKNOWN_PATH;
/** 405 with `Allow` (RFC 9110, 15.5.6) for a known path. */
export const unknownMethodError = (allow: readonly string[]): GatewayError => ({
  problem: 'METHOD_NOT_ALLOWED',
  detail: 'The path does not take this method; the Allow header names those that it takes.',
  headers: { Allow: [...allow].sort().join(', ') },
});

/**
 * The problem document of a gateway error, in the format of the contract that `path` belongs to. In the CDK templates `at.instance` is
 * a context variable that API Gateway fills in at each request, so the path is given separately.
 */
export const gatewayProblem = (
  error: GatewayError,
  at: { instance: string; requestId: string },
  path: string = at.instance,
) => ({ ...problemBody(error.problem, { detail: error.detail }, { ...at, instance: path }), instance: at.instance });

export const gatewayStatus = (error: GatewayError): number => PROBLEMS[error.problem].status;
