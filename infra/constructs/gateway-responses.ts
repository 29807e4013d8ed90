import { type ContractName, PROBLEM_CONTENT_TYPE } from '../../shared/runtime/problem.ts';
import {
  GATEWAY_ERRORS,
  type GatewayError,
  gatewayProblem,
  gatewayStatus,
  UNKNOWN_PATH_ERROR,
  unknownMethodError,
} from '../gateway-errors.ts';

/** Context variables that API Gateway fills in; the rest of a response is fixed text. */
const AT = { instance: '$context.path', requestId: '$context.requestId' };
const COMMON_HEADERS = { 'Content-Type': PROBLEM_CONTENT_TYPE, 'Cache-Control': 'no-store' } as const;

/** A literal in API Gateway's parameter mappings. */
const constant = (text: string): string => `'${text}'`;

/** Any path of each contract: it selects the format of a problem document that serves all paths of the API. */
const SAMPLE_PATHS = { v1: '/v1/any', reference: '/any' } as const;

const document = (error: GatewayError, path: string): string => JSON.stringify(gatewayProblem(error, AT, path));

const headersOf = (error: GatewayError, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...COMMON_HEADERS, ...error.headers }).map(([name, value]) => [
      `${prefix}.${name}`,
      constant(value),
    ]),
  );

/**
 * `x-amazon-apigateway-gateway-responses`: every gateway error as a problem document of one contract. A response template takes
 * variables but no conditions (API Gateway developer guide: it "isn't processed by the Velocity Template Language engine"), which is
 * why each contract has a REST API of its own.
 */
export const gatewayResponses = (contract: ContractName): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries<GatewayError>(GATEWAY_ERRORS).map(([type, error]) => [
      type,
      {
        statusCode: String(gatewayStatus(error)),
        responseParameters: headersOf(error, 'gatewayresponse.header'),
        responseTemplates: { 'application/json': document(error, SAMPLE_PATHS[contract]) },
      },
    ]),
  );

/** Media types accepted on unknown paths and methods; API Gateway answers 415 to any other. */
const MEDIA_TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
  'text/xml',
];

/** An operation with a mock integration that answers a fixed problem. */
const fixedAnswer = (error: GatewayError, path: string) => {
  const status = String(gatewayStatus(error));
  const parameters = headersOf(error, 'method.response.header');
  const headers = Object.fromEntries(
    Object.keys(parameters).map((name) => [
      name.replace('method.response.header.', ''),
      { schema: { type: 'string' } },
    ]),
  );
  return {
    responses: { [status]: { description: error.problem, headers } },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(MEDIA_TYPES.map((type) => [type, `{"statusCode": ${status}}`])),
      responses: {
        default: {
          statusCode: status,
          responseParameters: parameters,
          responseTemplates: { 'application/json': document(error, path) },
        },
      },
    },
  };
};

/** 405 with `Allow`, for any other method of a known path. */
export const unknownMethod = (path: string, allow: readonly string[]) => fixedAnswer(unknownMethodError(allow), path);
/** 404, for any method of an unknown path. */
export const unknownPath = (path: string) => fixedAnswer(UNKNOWN_PATH_ERROR, path);
