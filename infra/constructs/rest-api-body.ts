import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import type { ContractName } from '../../shared/runtime/problem.ts';
import { COMMON } from '../stages.ts';
import { gatewayResponses, unknownMethod, unknownPath } from './gateway-responses.ts';

/** Where the gateway's document points to. */
export interface GatewayTargets {
  readonly name: string;
  /** Whose words the gateway's own answers are in. */
  readonly contract: ContractName;
  readonly invocationUri: (contract: OperationContract) => string;
  readonly authorizerUri: string;
  readonly credentials: string;
}

/** The key under which the document declares any method that a path does not name. */
export const ANY_METHOD = 'x-amazon-apigateway-any-method';
const INTEGRATION = 'x-amazon-apigateway-integration';
const AUTHORIZER = 'credential';
/** Every path of a contract that no operation has. */
const UNKNOWN = { reference: '/{unknown+}', overview: '/v1/{unknown+}' } as const;
/** The gateway gives up after this; the functions' time-outs are shorter. */
const INTEGRATION_TIMEOUT_MS = 29_000;

/** Bodies that are bytes and not text: the gateway hands them over as base64. */
const BINARY = /^(?:multipart|image|audio|video)\/|octet-stream$/;
export const binaryMediaTypes = (contracts: readonly OperationContract[]): string[] => {
  const types = contracts.flatMap(({ request }) =>
    request.rawBody && BINARY.test(request.rawBody.contentType) ? [request.rawBody.contentType] : [],
  );
  // Text is no exception here: what is streamed is counted and hashed byte by byte.
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

/** `/v2/sms` of `/v2/sms/messages`: steps of the way that no operation has, which the gateway would answer in its own words. */
const stepsOf = (path: string): string[] => {
  const parts = path.split('/').slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
};

/** The gateway takes one variable name per step: `/contacts/{id}` and `/contacts/{contactId}/cards` cannot both be imported. */
const refuseRivalVariables = (contracts: readonly OperationContract[]): void => {
  const seen = new Map<string, string>();
  for (const step of contracts.flatMap(({ path }) => [...stepsOf(path), path])) {
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
    identitySource: 'method.request.header.Authorization',
    authorizerUri,
    authorizerCredentials: credentials,
    authorizerResultTtlInSeconds: COMMON.authorizerCacheSeconds,
  },
});

/**
 * The gateway's own document, from the contracts: one integration per operation, and a problem document for everything else.
 * Unknown paths get an answer of their own, because the gateway reads `Authorization` on a path it does not know as an AWS signature.
 */
export const restApiBody = (
  contracts: readonly OperationContract[],
  targets: GatewayTargets,
): Record<string, unknown> => {
  refuseRivalVariables(contracts);
  const paths = operationPaths(contracts, targets);
  for (const path of ['/', ...contracts.flatMap(({ path }) => stepsOf(path)), UNKNOWN[targets.contract]])
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
