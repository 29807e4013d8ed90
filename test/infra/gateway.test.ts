import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { restApiBody } from '../../infra/constructs/rest-api-body.ts';
import { GATEWAY_ERRORS, type GatewayErrorType, gatewayStatus } from '../../infra/gateway-errors.ts';
import { refusalAnswer, wrongMethodAnswer } from '../../infra/local/problems.ts';
import { NAMES } from '../../infra/stages.ts';
import type { OperationContract } from '../../shared/contracts/define-operation.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { ENVIRONMENTS } from '../../shared/domain/actor.ts';
import { OVERVIEW_CODES, PROBLEMS } from '../../shared/domain/errors.ts';
import { problemBody } from '../../shared/runtime/problem.ts';
import { deploy, gatewayBody, type Piece, resourcesOf, statementsOf, textOf } from './support.ts';

const stacks = deploy().apps;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ANY = 'x-amazon-apigateway-any-method';
const INTEGRATION = 'x-amazon-apigateway-integration';

const FIELDS = Object.keys(problemBody('NOT_FOUND', { detail: '' }, { instance: '', requestId: '' })).sort();
/** The document that the gateway would write. */
const written = (template: string) =>
  JSON.parse(template.replace('$context.path', '/live/a').replace('$context.requestId', 'r-1'));

describe.each(ENVIRONMENTS)('the gateway of stage %s', (environment) => {
  const body = gatewayBody(stacks[environment]);
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
    expect(routes.sort()).toEqual(OPERATIONS.map(({ id, method, path }) => `${id}: ${method} ${path}`).sort());
  });

  it('calls, for each route, the function of its operation, with the one role of the gateway', () => {
    for (const { operation } of declared) {
      const name = NAMES.function(environment, operation.operationId.replace('.', '/'));
      expect(functions).toContain(name);
      expect(textOf(operation[INTEGRATION].uri)).toMatch(new RegExp(`:function:${name}/invocations$`));
      expect(textOf(operation[INTEGRATION].credentials)).toMatch(/^ApiGatewayRole.*\.Arn$/);
    }
  });

  it('lets the gateway call exactly its functions', () => {
    const calls = statementsOf(stacks[environment]).filter(({ actions }) => actions.includes('lambda:InvokeFunction'));
    const expected = ['authorizer', ...OPERATIONS.map(({ id }) => id)].map((path) => NAMES.function(environment, path));
    expect(calls.flatMap(({ resources }) => resources.map((arn) => arn.split(':').at(-1))).sort()).toEqual(
      expected.sort(),
    );
    // A managed policy holds 6,144 characters.
    for (const { resources } of calls) expect(resources.join('","').length).toBeLessThan(5_500);
  });

  it('asks the authorizer on every operation that needs a credential, and on no public one', () => {
    for (const { operation } of declared) {
      const contract = OPERATIONS.find(({ id }) => id === operation.operationId);
      const authorizer = contract?.path.startsWith('/v1/') ? 'overviewCredential' : 'credential';
      expect(operation.security).toEqual(contract?.permission === 'public' ? undefined : [{ [authorizer]: [] }]);
    }
  });

  it('forgets a revoked key within a minute', () => {
    expect(Object.keys(body.components.securitySchemes).sort()).toEqual(['credential', 'overviewCredential']);
    for (const scheme of Object.values<Piece>(body.components.securitySchemes)) {
      const authorizer = scheme['x-amazon-apigateway-authorizer'];
      expect(authorizer.identitySource).toBe('method.request.header.Authorization');
      expect(authorizer.authorizerResultTtlInSeconds).toBeLessThanOrEqual(60);
      expect(textOf(authorizer.authorizerUri)).toContain(`:function:${NAMES.function(environment, 'authorizer')}/`);
    }
  });

  it('answers any other method of a known path with 405, Allow and a problem document', () => {
    for (const path of new Set(OPERATIONS.map((contract) => contract.path))) {
      const answer = body.paths[path][ANY][INTEGRATION].responses.default;
      const allowed = OPERATIONS.filter((contract) => contract.path === path).map(({ method }) => method);
      expect(answer.statusCode).toBe('405');
      expect(answer.responseParameters['method.response.header.Allow']).toBe(`'${allowed.sort().join(', ')}'`);
      const overview = path.startsWith('/v1/');
      expect(written(answer.responseTemplates['application/json'])).toMatchObject({
        code: overview ? 'invalid_request' : 'METHOD_NOT_ALLOWED',
        ...(overview ? { action: OVERVIEW_CODES.invalid_request } : {}),
        requestId: 'r-1',
      });
      expect(Object.keys(body.paths[path][ANY].responses['405'].headers).sort()).toEqual([
        'Allow',
        'Cache-Control',
        'Content-Type',
      ]);
    }
  });

  it('answers every step towards a path, and every path beside it, with 404', () => {
    const known = new Set<string>(OPERATIONS.map(({ path }) => path));
    const steps = OPERATIONS.flatMap(({ path }) =>
      path
        .split('/')
        .slice(1, -1)
        .map((_, index, parts) => `/${parts.slice(0, index + 1).join('/')}`),
    );
    for (const path of ['/', '/{unknown+}', ...steps.filter((step) => !known.has(step))]) {
      expect(body.paths[path][ANY][INTEGRATION].responses.default.statusCode, path).toBe('404');
    }
  });

  it('answers its own errors with problem documents', () => {
    const responses = body['x-amazon-apigateway-gateway-responses'];
    expect(Object.keys(responses).sort()).toEqual(Object.keys(GATEWAY_ERRORS).sort());
    for (const [type, response] of Object.entries<Piece>(responses)) {
      const error = GATEWAY_ERRORS[type as GatewayErrorType];
      const document = written(response.responseTemplates['application/json']);
      const overview = type === 'ACCESS_DENIED';
      expect(Object.keys(document).sort()).toEqual(overview ? [...FIELDS, 'action'].sort() : FIELDS);
      expect(document).toMatchObject({
        status: gatewayStatus(error),
        code: overview ? 'unauthorized' : PROBLEMS[error.problem].code,
        instance: '/live/a',
        requestId: 'r-1',
      });
      expect(response.statusCode).toBe(String(document.status));
      expect(response.responseParameters['gatewayresponse.header.Content-Type']).toBe("'application/problem+json'");
    }
  });

  it.each(['401 of an unknown credential', '404 of an unknown path', '405 of an unknown method'])(
    'answers %s under /v1 with the very document of the local gateway',
    (what) => {
      const at = { instance: '/live/a', requestId: 'r-1' };
      const local = { ...at, instance: '/v1/messages' };
      const { paths } = body;
      const allow = OPERATIONS.filter(({ path }) => path === '/v1/messages').map(({ method }) => method);
      const templateOf = (path: string) =>
        paths[path][ANY][INTEGRATION].responses.default.responseTemplates['application/json'];
      const [template, answer] = what.startsWith('401')
        ? [
            body['x-amazon-apigateway-gateway-responses'].ACCESS_DENIED.responseTemplates['application/json'],
            refusalAnswer('unauthorized', local),
          ]
        : what.startsWith('404')
          ? [templateOf('/v1/{unknown+}'), refusalAnswer('unknown_path', local)]
          : [templateOf('/v1/messages'), wrongMethodAnswer(allow, local)];
      expect({ ...written(template), instance: local.instance }).toEqual(JSON.parse(answer.body));
      expect(JSON.parse(answer.body).code).toMatch(/^[a-z_]+$/);
    },
  );

  it('replaces its routes and never merges them, so that a removed operation is gone', () => {
    expect(resourcesOf(stacks[environment], 'AWS::ApiGateway::RestApi')[0]?.Properties).toMatchObject({
      Mode: 'overwrite',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
    });
  });

  it('publishes a route only after its function exists', () => {
    const waits = resourcesOf(stacks[environment], 'AWS::ApiGateway::Deployment')[0]?.DependsOn ?? [];
    const targets = resourcesOf(stacks[environment], 'AWS::Lambda::Function').filter(
      ({ Properties }) => !/-(?:consumers|schedules)-/.test(Properties.FunctionName),
    );
    expect(waits).toEqual(expect.arrayContaining(targets.map(({ id }) => id)));
  });

  it('writes no real path into its access log', () => {
    const format = resourcesOf(stacks[environment], 'AWS::ApiGateway::Stage')[0]?.Properties.AccessLogSetting.Format;
    expect(format).toContain('$context.resourcePath');
    expect(format).not.toMatch(/\$context\.(?:path|identity)/);
  });

  it('stays inside the 300 resources that a REST API may have', () => {
    const steps = new Set(
      OPERATIONS.flatMap(({ path }) => path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))),
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

  it('say when to come back wherever coming back helps', () => {
    for (const [type, error] of Object.entries(GATEWAY_ERRORS)) {
      const retried = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(error.problem);
      expect('headers' in error && 'Retry-After' in error.headers, type).toBe(retried);
    }
  });
});

describe('the document of the gateway', () => {
  const targets = {
    name: 'messaging-test',
    invocationUri: ({ id }: OperationContract) => id,
    authorizerUri: 'authorizer',
    credentials: 'role',
  };
  const model = OPERATIONS[0] as OperationContract;

  it('refuses two names for one variable, which the gateway could not import', () => {
    const rivals = [
      { ...model, id: 'a.b', path: '/contacts/{id}' },
      { ...model, id: 'a.c', path: '/contacts/{contactId}/cards' },
    ] as const;
    expect(() => restApiBody(rivals, targets)).toThrow(/\{id\} and \{contactId\}/);
  });

  it('refuses two operations of one route', () => {
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

  it('hands bytes over as base64, and text as it is', () => {
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
