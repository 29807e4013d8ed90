import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { restApiBody } from '../../infra/constructs/rest-api-body.ts';
import { GATEWAY_ERRORS, type GatewayErrorType, gatewayStatus } from '../../infra/gateway-errors.ts';
import { refusalAnswer, wrongMethodAnswer } from '../../infra/local/problems.ts';
import { NAMES } from '../../infra/stages.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { EDGE_HEADERS } from '../../shared/contracts/edge.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/core/actor.ts';
import { PROBLEMS, V1_CODE_OF, V1_CODES } from '../../shared/domain/core/errors.ts';
import { CONTRACTS, type ContractName, contractOf, problemBody } from '../../shared/runtime/problem.ts';
import { apiOf, deploy, gatewayBody, type Piece, resourcesOf, statementsOf, textOf } from './support.ts';

const { apps: stacks, apis } = deploy();
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ANY = 'x-amazon-apigateway-any-method';
const INTEGRATION = 'x-amazon-apigateway-integration';

const FIELDS = Object.keys(problemBody('NOT_FOUND', { detail: '' }, { instance: '', requestId: '' })).sort();
const PATH_OF = { reference: '/v2/wallet', v1: '/v1/messages' } as const;
const ROLE_OF = { reference: 'Reference', v1: 'V1' } as const;
/** The document that the gateway would render. */
const rendered = (template: string) =>
  JSON.parse(template.replace('$context.path', '/live/a').replace('$context.requestId', 'r-1'));

const gateways = ENVIRONMENTS.flatMap((environment) => CONTRACTS.map((contract) => [environment, contract] as const));

describe.each(gateways)('the gateway of stage %s for the %s contract', (environment, name) => {
  const body = gatewayBody(apis[environment], name);
  const OWN = OPERATIONS.filter(({ path }) => contractOf(path) === name);
  const functions = new Set(
    resourcesOf(stacks[environment], 'AWS::Lambda::Function').map(({ Properties }) => Properties.FunctionName),
  );
  const declared = Object.entries<Record<string, Piece>>(body.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method] })),
  );

  it('has the routes of the contracts, and no other', () => {
    const routes = declared.map(
      ({ path, method, operation }) => `${operation.operationId}: ${method.toUpperCase()} ${path}`,
    );
    expect(routes.sort()).toEqual(OWN.map(({ id, method, path }) => `${id}: ${method} ${path}`).sort());
  });

  it('calls, for each route, the function of its operation, with the one role of the gateway', () => {
    for (const { operation } of declared) {
      const called = NAMES.function(environment, operation.operationId.replace('.', '/'));
      expect(functions).toContain(called);
      expect(textOf(operation[INTEGRATION].uri)).toMatch(new RegExp(`:function:${called}/invocations$`));
      expect(textOf(operation[INTEGRATION].credentials)).toMatch(new RegExp(`^${ROLE_OF[name]}GatewayRole.*\\.Arn$`));
    }
  });

  it('lets the gateway call exactly its functions', () => {
    const calls = statementsOf(apis[environment]).filter(
      ({ owner, actions }) => owner.startsWith(`${ROLE_OF[name]}Calls`) && actions.includes('lambda:InvokeFunction'),
    );
    const expected = ['authorizer', ...OWN.map(({ id }) => id)].map((path) => NAMES.function(environment, path));
    expect(calls.flatMap(({ resources }) => resources.map((arn) => arn.split(':').at(-1))).sort()).toEqual(
      expected.sort(),
    );
    // A managed policy holds 6,144 characters.
    for (const { resources } of calls) expect(resources.join('","').length).toBeLessThan(5_500);
  });

  it('calls the authorizer for every operation that needs a credential, and for no public one', () => {
    for (const { operation } of declared) {
      const contract = OPERATIONS.find(({ id }) => id === operation.operationId);
      expect(operation.security).toEqual(contract?.permission === 'public' ? undefined : [{ credential: [] }]);
    }
  });

  it('does not call the authorizer without the edge’s secret, and caches its answers for at most a minute', () => {
    expect(Object.keys(body.components.securitySchemes)).toEqual(['credential']);
    for (const scheme of Object.values<Piece>(body.components.securitySchemes)) {
      const authorizer = scheme['x-amazon-apigateway-authorizer'];
      expect(authorizer.identitySource).toBe(
        `method.request.header.Authorization, method.request.header.${EDGE_HEADERS.secret}`,
      );
      expect(authorizer.authorizerResultTtlInSeconds).toBeLessThanOrEqual(60);
      expect(textOf(authorizer.authorizerUri)).toContain(`:function:${NAMES.function(environment, 'authorizer')}/`);
    }
  });

  it('answers any other method of a known path with 405, Allow and a problem document', () => {
    for (const path of new Set(OWN.map((contract) => contract.path))) {
      const answer = body.paths[path][ANY][INTEGRATION].responses.default;
      const methods = OWN.filter((contract) => contract.path === path).map(({ method }) => method);
      const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
      expect(answer.statusCode).toBe('405');
      expect(answer.responseParameters['method.response.header.Allow']).toBe(`'${allowed.sort().join(', ')}'`);
      const isV1 = name === 'v1';
      expect(rendered(answer.responseTemplates['application/json'])).toMatchObject({
        code: isV1 ? 'invalid_request' : 'METHOD_NOT_ALLOWED',
        ...(isV1 ? { action: V1_CODES.invalid_request } : {}),
        requestId: 'r-1',
      });
      expect(Object.keys(body.paths[path][ANY].responses['405'].headers).sort()).toEqual([
        'Allow',
        'Cache-Control',
        'Content-Type',
      ]);
    }
  });

  it('answers HEAD by what answers GET, for the same callers', () => {
    const ids = new Set<string>();
    for (const { get, head } of Object.values<Piece>(body.paths)) {
      expect(head?.[INTEGRATION]).toEqual(get?.[INTEGRATION]);
      expect(head?.security).toEqual(get?.security);
      for (const { operationId } of [get, head].filter(Boolean)) ids.add(operationId);
    }
    expect(ids.size).toBe(2 * OWN.filter(({ method }) => method === 'GET').length);
  });

  it('answers every prefix of a path, and every other path, with 404', () => {
    const known = new Set<string>(OWN.map(({ path }) => path));
    const steps = OWN.flatMap(({ path }) =>
      path
        .split('/')
        .slice(1, -1)
        .map((_, index, parts) => `/${parts.slice(0, index + 1).join('/')}`),
    );
    for (const path of [
      '/',
      name === 'v1' ? '/v1/{unknown+}' : '/{unknown+}',
      ...steps.filter((step) => !known.has(step)),
    ]) {
      expect(body.paths[path][ANY][INTEGRATION].responses.default.statusCode, path).toBe('404');
    }
  });

  it("answers its own errors with problem documents and the contract's codes", () => {
    const responses = body['x-amazon-apigateway-gateway-responses'];
    expect(Object.keys(responses).sort()).toEqual(Object.keys(GATEWAY_ERRORS).sort());
    for (const [type, response] of Object.entries<Piece>(responses)) {
      const error = GATEWAY_ERRORS[type as GatewayErrorType];
      const document = rendered(response.responseTemplates['application/json']);
      const isV1 = name === 'v1';
      expect(Object.keys(document).sort()).toEqual(isV1 ? [...FIELDS, 'action'].sort() : FIELDS);
      expect(document).toMatchObject({
        status: gatewayStatus(error),
        code: isV1 ? V1_CODE_OF[error.problem] : PROBLEMS[error.problem].code,
        instance: '/live/a',
        requestId: 'r-1',
      });
      expect(document.code).toMatch(isV1 ? /^[a-z_]+$/ : /^[A-Z_]+$/);
      expect(response.statusCode).toBe(String(document.status));
      expect(response.responseParameters['gatewayresponse.header.Content-Type']).toBe("'application/problem+json'");
    }
  });

  it.each<[string, () => string, (at: Piece) => { body: string }]>([
    ['401 of an unknown credential', () => response('UNAUTHORIZED'), (at) => refusalAnswer('unauthorized', at)],
    ['413 of a body over the limit', () => response('REQUEST_TOO_LARGE'), (at) => refusalAnswer('too_large', at)],
    ['500 of a function that failed', () => response('INTEGRATION_FAILURE'), (at) => refusalAnswer('failed', at)],
    ['503 of a function that hangs', () => response('INTEGRATION_TIMEOUT'), (at) => refusalAnswer('timed_out', at)],
    [
      '404 of an unknown path',
      () => fixed(name === 'v1' ? '/v1/{unknown+}' : '/{unknown+}'),
      (at) => refusalAnswer('unknown_path', at),
    ],
    ['405 of an unknown method', () => fixed(PATH_OF[name]), (at) => wrongMethodAnswer(allowedAt(PATH_OF[name]), at)],
  ])('answers %s with the same document as the local gateway', (_, template, answer) => {
    const at = { instance: PATH_OF[name], requestId: 'r-1' };
    expect({ ...rendered(template()), instance: at.instance }).toEqual(JSON.parse(answer(at).body));
  });
  const response = (type: GatewayErrorType): string =>
    body['x-amazon-apigateway-gateway-responses'][type].responseTemplates['application/json'];
  const fixed = (path: string): string =>
    body.paths[path][ANY][INTEGRATION].responses.default.responseTemplates['application/json'];
  const allowedAt = (path: string) => OWN.filter((one) => one.path === path).map(({ method }) => method);

  it('overwrites its routes, so that a removed operation is gone', () => {
    expect(apiOf(apis[environment], name)).toMatchObject({
      Name: name === 'v1' ? `messaging-${environment}-v1` : `messaging-${environment}`,
      Mode: 'overwrite',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
    });
  });

  it('publishes a route only after its function exists', () => {
    const deployment = resourcesOf(stacks[environment], 'AWS::ApiGateway::Deployment').find(({ id }) =>
      id.startsWith(`Stage${name}Deployment`),
    );
    const waits = deployment?.DependsOn ?? [];
    const targets = resourcesOf(stacks[environment], 'AWS::Lambda::Function').filter(
      ({ Properties }) => !/-(?:consumers|schedules|streams)-/.test(Properties.FunctionName),
    );
    expect(waits).toEqual(expect.arrayContaining(targets.map(({ id }) => id)));
  });

  it('logs no actual paths', () => {
    const settings = resourcesOf(stacks[environment], 'AWS::ApiGateway::Stage').map(
      ({ Properties }) => Properties.AccessLogSetting,
    );
    expect(settings).toHaveLength(CONTRACTS.length);
    for (const { Format, DestinationArn } of settings) {
      expect(Format).toContain('$context.resourcePath');
      expect(Format).not.toMatch(/\$context\.(?:path|identity)/);
      expect(textOf(DestinationArn)).toMatch(/^AccessLogs.*\.Arn$/);
    }
  });

  it('stays inside the 300 resources that a REST API may have', () => {
    const steps = new Set(
      OWN.flatMap(({ path }) => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))),
    );
    expect(steps.size).toBeLessThan(280);
  });
});

describe("the gateway's errors", () => {
  it('cover every response type that the gateway has', () => {
    const types = Object.values(ResponseType).filter((value): value is ResponseType => value instanceof ResponseType);
    expect(types.length).toBeGreaterThan(15);
    for (const { responseType } of types) expect(GATEWAY_ERRORS).toHaveProperty(responseType);
  });

  it.each([
    ['MISSING_AUTHENTICATION_TOKEN', 404],
    ['INVALID_SIGNATURE', 404],
    ['UNAUTHORIZED', 401],
    ['ACCESS_DENIED', 401],
    ['REQUEST_TOO_LARGE', 413],
    ['THROTTLED', 429],
    ['INTEGRATION_TIMEOUT', 503],
    ['INTEGRATION_FAILURE', 500],
  ] as const)('answers %s with %i', (type, status) => {
    expect(gatewayStatus(GATEWAY_ERRORS[type])).toBe(status);
  });

  it('have Retry-After exactly when a retry can help', () => {
    for (const [type, error] of Object.entries(GATEWAY_ERRORS)) {
      const retried = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(error.problem);
      expect('headers' in error && 'Retry-After' in error.headers, type).toBe(retried);
    }
  });
});

describe('the document of the gateway', () => {
  const targets = {
    name: 'messaging-test',
    contract: 'reference' as ContractName,
    invocationUri: ({ id }: OperationContract) => id,
    authorizerUri: 'authorizer',
    credentials: 'role',
  };
  const model = OPERATIONS[0] as OperationContract;

  it('refuses two names for the same path variable, which the gateway cannot import', () => {
    const rivals = [
      { ...model, id: 'a.b', path: '/contacts/{id}' },
      { ...model, id: 'a.c', path: '/contacts/{contactId}/cards' },
    ] as const;
    expect(() => restApiBody(rivals, targets)).toThrow(/\{id\} and \{contactId\}/);
  });

  it('refuses two operations on the same route', () => {
    expect(() =>
      restApiBody(
        [
          { ...model, id: 'a.b' },
          { ...model, id: 'a.c' },
        ],
        targets,
      ),
    ).toThrow(/Two operations/);
  });

  it('passes bytes as base64, and text unchanged', () => {
    const upload = { ...model, request: { rawBody: { contentType: 'multipart/form-data', description: 'A file.' } } };
    const callback = {
      ...model,
      id: 'a.c',
      path: '/callbacks',
      request: { rawBody: { contentType: 'application/json', description: 'A receipt.' } },
    } as const;
    expect(restApiBody([upload, callback], targets)['x-amazon-apigateway-binary-media-types']).toEqual([
      'multipart/form-data',
    ]);
  });
});
