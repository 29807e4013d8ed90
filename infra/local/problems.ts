import { PROBLEM_CONTENT_TYPE } from '../../shared/runtime/problem.ts';
import {
  GATEWAY_ERRORS,
  type GatewayError,
  gatewayProblem,
  gatewayStatus,
  UNKNOWN_PATH_ERROR,
  unknownMethodError,
} from '../gateway-errors.ts';

/** The gateway's own refusals: those of API Gateway, and a few that exist only locally. */
const REFUSALS = {
  malformed: GATEWAY_ERRORS.BAD_REQUEST_PARAMETERS,
  unauthorized: GATEWAY_ERRORS.UNAUTHORIZED,
  denied: GATEWAY_ERRORS.ACCESS_DENIED,
  authorizer_failed: GATEWAY_ERRORS.AUTHORIZER_FAILURE,
  unknown_path: UNKNOWN_PATH_ERROR,
  head_too_large: {
    problem: 'BAD_REQUEST',
    detail: 'The address and the headers are more than 16 KB together: shorten them.',
  },
  no_host: { problem: 'BAD_REQUEST', detail: 'The Host header is required, once (RFC 9112, section 3.2).' },
  too_large: GATEWAY_ERRORS.REQUEST_TOO_LARGE,
  failed: GATEWAY_ERRORS.INTEGRATION_FAILURE,
  timed_out: GATEWAY_ERRORS.INTEGRATION_TIMEOUT,
  not_ready: {
    problem: 'SERVICE_UNAVAILABLE',
    detail: 'The service is starting; try again.',
    headers: { 'Retry-After': '1' },
  },
} as const satisfies Record<string, GatewayError>;

/** The kinds of the gateway's refusals. */
export type GatewayRefusal = keyof typeof REFUSALS;

/** A response that the gateway generates itself. */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
interface At {
  /** The request's path. */
  readonly instance: string;
  readonly requestId: string;
}

const answerOf = (error: GatewayError, at: At): GatewayAnswer => ({
  status: gatewayStatus(error),
  headers: {
    'content-type': PROBLEM_CONTENT_TYPE,
    'cache-control': 'no-store',
    'x-request-id': at.requestId,
    ...error.headers,
  },
  body: JSON.stringify(gatewayProblem(error, at)),
});

/** The gateway's own error response, a problem document. */
export const refusalAnswer = (kind: GatewayRefusal, at: At): GatewayAnswer => answerOf(REFUSALS[kind], at);

/** 405 with `Allow`. */
export const wrongMethodAnswer = (allow: readonly string[], at: At): GatewayAnswer =>
  answerOf(unknownMethodError(allow), at);
