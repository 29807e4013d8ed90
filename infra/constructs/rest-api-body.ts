import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { EDGE_HEADERS } from '../../shared/contracts/edge.ts';
import type { ContractName } from '../../shared/runtime/problem.ts';
import { COMMON } from '../stages.ts';
import { gatewayResponses, unknownMethod, unknownPath } from './gateway-responses.ts';

/** The targets that the API definition refers to. */
export interface GatewayTargets {
  readonly name: string;
  /** The contract that the gateway's own errors follow. */
  readonly contract: ContractName;
  readonly invocationUri: (contract: OperationContract) => string;
  readonly authorizerUri: string;
  readonly credentials: string;
}

/** OpenAPI extension: the catch-all method of a path. */
const ANY_METHOD = 'x-amazon-apigateway-any-method';
const INTEGRATION = 'x-amazon-apigateway-integration';
const AUTHORIZER = 'credential';
/** Catch-all path of each contract, for unknown paths. */
const UNKNOWN = { reference: '/{unknown+}', v1: '/v1/{unknown+}' } as const;
/** API Gateway's integration time-out, in ms; the functions' own are shorter. */
const INTEGRATION_TIMEOUT_MS = 29_000;

const BINARY = /^(?:multipart|image|audio|video)\/|octet-stream$/;
/** The media types whose bodies API Gateway passes as base64. */
export const binaryMediaTypes = (contracts: readonly OperationContract[]): string[] => {
  const types = contracts.flatMap(({ request }) =>
    request.rawBody && BINARY.test(request.rawBody.contentType) ? [request.rawBody.contentType] : [],
  );
  // A streamed body is binary even when its type is text: its exact bytes are counted and hashed.
  const streamed = contracts.flatMap(({ request }) =>
    request.stream?.schema ? [] : (request.stream?.contentTypes ?? []),
  );
  return [...new Set([...types, ...streamed])].sort();
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{([^}+]+)\+?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const operationOf = (contract: OperationContract, targets: GatewayTargets) => ({
  operationId: contract.id,
  parameters: pathParameters(contract.path),
  responses: Object.fromEntries(
    Object.keys(contract.responses).map((status) => [status, { description: contract.summary }]),
  ),
  ...(contract.permission === 'public' ? {} : { security: [{ [AUTHORIZER]: [] }] }),
  [INTEGRATION]: {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: targets.invocationUri(contract),
    credentials: targets.credentials,
    passthroughBehavior: 'when_no_match',
    timeoutInMillis: INTEGRATION_TIMEOUT_MS,
  },
});

/** `/v2` and `/v2/sms` of `/v2/sms/messages`: API Gateway creates them as resources, so they need an answer of ours. */
const parentPaths = (path: string): string[] => {
  const parts = path.split('/').slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
};

/** API Gateway allows one variable name per path segment: `/contacts/{id}` and `/contacts/{contactId}/cards` cannot coexist. */
const assertOneVariablePerSegment = (contracts: readonly OperationContract[]): void => {
  const seen = new Map<string, string>();
  for (const step of contracts.flatMap(({ path }) => [...parentPaths(path), path])) {
    const [parent, last] = [step.slice(0, step.lastIndexOf('/')), step.slice(step.lastIndexOf('/') + 1)];
    if (!last.startsWith('{')) continue;
    const first = seen.get(parent) ?? last;
    if (first !== last)
      throw new Error(`Under ${parent || '/'} the paths name both ${first} and ${last}; the gateway takes one name.`);
    seen.set(parent, last);
  }
};

type PathItem = Record<string, unknown>;

const operationPaths = (contracts: readonly OperationContract[], targets: GatewayTargets): Map<string, PathItem> => {
  const paths = new Map<string, PathItem>();
  for (const contract of contracts) {
    const item = paths.get(contract.path) ?? {};
    const method = contract.method.toLowerCase();
    if (item[method]) throw new Error(`Two operations declare ${contract.method} ${contract.path}.`);
    item[method] = operationOf(contract, targets);
    // Its function answers as to GET; the gateway sends no body. Ids of operations are unique in a definition.
    if (method === 'get') item.head = { ...operationOf(contract, targets), operationId: `${contract.id}.head` };
    paths.set(contract.path, item);
  }
  for (const [path, item] of paths)
    item[ANY_METHOD] = unknownMethod(
      path,
      Object.keys(item).map((method) => method.toUpperCase()),
    );
  return paths;
};

const authorizer = ({ authorizerUri, credentials }: GatewayTargets) => ({
  type: 'apiKey',
  name: 'Authorization',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    // Both are required, and the response is cached by both, so that one for the edge is not valid for requests that bypass it.
    identitySource: ['Authorization', EDGE_HEADERS.secret].map((name) => `method.request.header.${name}`).join(', '),
    authorizerUri,
    authorizerCredentials: credentials,
    authorizerResultTtlInSeconds: COMMON.authorizerCacheSeconds,
  },
});

/**
 * The OpenAPI definition that API Gateway imports: one proxy integration per operation, and a problem document for everything else.
 * Unknown paths are declared explicitly, because on an undeclared path API Gateway reads `Authorization` as an AWS signature.
 */
export const restApiBody = (
  contracts: readonly OperationContract[],
  targets: GatewayTargets,
): Record<string, unknown> => {
  assertOneVariablePerSegment(contracts);
  const paths = operationPaths(contracts, targets);
  for (const path of ['/', ...contracts.flatMap(({ path }) => parentPaths(path)), UNKNOWN[targets.contract]])
    if (!paths.has(path)) paths.set(path, { parameters: pathParameters(path), [ANY_METHOD]: unknownPath(path) });
  return {
    openapi: '3.0.1',
    info: { title: targets.name, version: '1' },
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { securitySchemes: { [AUTHORIZER]: authorizer(targets) } },
    'x-amazon-apigateway-gateway-responses': gatewayResponses(targets.contract),
    'x-amazon-apigateway-binary-media-types': binaryMediaTypes(contracts),
  };
};
