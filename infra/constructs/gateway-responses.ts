import { type ContractName, PROBLEM_CONTENT_TYPE } from '../../shared/runtime/problem.ts';
import {
  GATEWAY_ERRORS,
  type GatewayError,
  gatewayProblem,
  gatewayStatus,
  UNKNOWN_PATH_ERROR,
  unknownMethodError,
} from '../gateway-errors.ts';

/** Filled in by the gateway; everything else of an answer is fixed text. */
const AT = { instance: '$context.path', requestId: '$context.requestId' };
const COMMON_HEADERS = { 'Content-Type': PROBLEM_CONTENT_TYPE, 'Cache-Control': 'no-store' } as const;

/** A constant, as the gateway's mappings write it. */
const constant = (text: string): string => `'${text}'`;

/** A path of each contract, for a document that stands for all of them. */
const SOMEWHERE = { overview: '/v1/any', reference: '/any' } as const;

const document = (error: GatewayError, path: string): string => JSON.stringify(gatewayProblem(error, AT, path));

const headersOf = (error: GatewayError, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...COMMON_HEADERS, ...error.headers }).map(([name, value]) => [
      `${prefix}.${name}`,
      constant(value),
    ]),
  );

/**
 * `x-amazon-apigateway-gateway-responses`: every error of the gateway's own as a problem document in the words of a contract. An API has
 * one document per error, with variables but no decisions in it (a gateway response's mapping template "isn't processed by the Velocity
 * Template Language engine"): contracts of different words are different APIs.
 */
export const gatewayResponses = (contract: ContractName): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries<GatewayError>(GATEWAY_ERRORS).map(([type, error]) => [
      type,
      {
        statusCode: String(gatewayStatus(error)),
        responseParameters: headersOf(error, 'gatewayresponse.header'),
        responseTemplates: { 'application/json': document(error, SOMEWHERE[contract]) },
      },
    ]),
  );

/** Media types that a caller may send to a path or with a method that does not exist; any other is answered 415. */
const SENT = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
  'text/xml',
];

/** An operation of the gateway's document that answers with a fixed problem and calls nothing. */
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
      requestTemplates: Object.fromEntries(SENT.map((type) => [type, `{"statusCode": ${status}}`])),
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

/** Any other method of a known path: 405 with `Allow`. */
export const unknownMethod = (path: string, allow: readonly string[]) => fixedAnswer(unknownMethodError(allow), path);
/** Any method of a path that no operation has: 404. */
export const unknownPath = (path: string) => fixedAnswer(UNKNOWN_PATH_ERROR, path);
