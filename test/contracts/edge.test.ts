import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { EDGE_HEADERS, EDGE_VARIABLES } from '../../shared/contracts/edge.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { authorizer } from '../../shared/runtime/authorizer.ts';
import { callerAddress, cameByEdge } from '../../shared/runtime/edge.ts';
import { importFresh } from '../support/import-fresh.ts';

const [CURRENT, NEXT] = ['current-secret', 'next-secret'];
const BOTH = { [EDGE_VARIABLES.current]: CURRENT, [EDGE_VARIABLES.next]: NEXT };
const CALLER = '198.51.100.7';
const EDGE_NODE = '203.0.113.10';

const eventOf = (headers: Readonly<Record<string, string>>, stageVariables: Record<string, string> | null = BOTH) => ({
  headers: { ...headers },
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  stageVariables,
  requestContext: { requestId: 'req', identity: { sourceIp: EDGE_NODE } },
});
const proven = (secret: string, viewer = CALLER) =>
  eventOf({ 'X-Origin-Secret': secret, 'X-Viewer-Address': viewer, 'X-Forwarded-For': '192.0.2.1' });

describe('a stage behind an edge', () => {
  it.each([CURRENT, NEXT])('accepts the secret %s, also during a rotation', (secret) => {
    expect(cameByEdge(proven(secret), 'secret')).toBe(true);
  });

  it.each([
    ['no secret', eventOf({})],
    ['an empty one', proven('')],
    ['a wrong one', proven(`${CURRENT}x`)],
    ['a stage that knows none', { ...proven(CURRENT), stageVariables: null }],
    ['a stage whose variables are empty', { ...proven(''), stageVariables: { [EDGE_VARIABLES.current]: '' } }],
    ['another variable of the stage', { ...proven('x'), stageVariables: { other: 'x' } }],
  ])('refuses a request with %s', (_, event) => {
    expect(cameByEdge(event, 'secret')).toBe(false);
    expect(callerAddress(event, 'secret')).toBe(EDGE_NODE);
  });

  it('requires no secret where there is no edge, or where only the edge reaches it', () => {
    for (const edge of ['none', 'network'] as const) expect(cameByEdge(eventOf({}), edge)).toBe(true);
  });
});

describe("the caller's address", () => {
  it('is what the edge says, once the edge is proven', () => {
    expect(callerAddress(proven(CURRENT), 'secret')).toBe(CALLER);
    expect(callerAddress(proven(CURRENT, '2001:db8::7'), 'secret')).toBe('2001:db8::7');
    expect(callerAddress(eventOf({ [EDGE_HEADERS.viewer]: CALLER }), 'network')).toBe(CALLER);
  });

  it('is that of the connection when a caller only claims to be the edge', () => {
    expect(callerAddress(proven('guessed'), 'secret')).toBe(EDGE_NODE);
    expect(callerAddress(proven(CURRENT), 'none')).toBe(EDGE_NODE);
  });

  it('is that of the connection if the edge sends no valid address, or two', () => {
    expect(callerAddress(proven(CURRENT, 'unknown'), 'secret')).toBe(EDGE_NODE);
    const twice = proven(CURRENT);
    twice.multiValueHeaders['X-Viewer-Address'] = [CALLER, '192.0.2.9'];
    expect(callerAddress(twice, 'secret')).toBe(EDGE_NODE);
  });
});

it('the authorizer refuses a request that bypasses the edge before it reads the credential', async () => {
  const find = vi.fn(async () => undefined);
  const guard = authorizer({
    env: 'test',
    credentials: { find, ancestors: async () => [], account: async () => undefined },
    uses: { note: async () => undefined },
    clock: () => 0,
    edge: 'secret',
  });
  const call = (event: object) =>
    guard({ ...event, methodArn: 'a:b/test/GET/x' } as APIGatewayRequestAuthorizerEvent).catch(String);
  const headers = { authorization: `Bearer svc_test_${'a'.repeat(43)}` };
  expect(await call(eventOf(headers))).toBe('Error: Unauthorized');
  expect(find).not.toHaveBeenCalled();
  expect(await call(eventOf({ ...headers, [EDGE_HEADERS.secret]: CURRENT }))).toBe('Error: Unauthorized');
  expect(find).toHaveBeenCalledOnce();
});

describe('a function behind an edge', () => {
  const isolated = async (id: string) => {
    vi.stubEnv('EDGE', 'secret');
    const support = await importFresh<typeof import('./support.ts')>(import.meta.resolve('./support.ts'));
    const contract = OPERATIONS.find((each) => each.id === id);
    if (!contract) throw new Error(`There is no ${id}.`);
    const handler = await support.loadHandler(contract);
    const example = support.exampleEvent(contract);
    return (headers: Record<string, string>) =>
      handler(
        {
          ...example,
          stageVariables: BOTH,
          headers: { ...example.headers, ...headers },
          multiValueHeaders: {},
        },
        {} as never,
      ).finally(() => vi.unstubAllEnvs());
  };

  it.each(['meta.health', 'links.follow', 'unsubscribe.show', 'callbacks.receive', 'sms.send'])(
    'refuses %s to who goes around it, with a problem document',
    async (id) => {
      const call = await isolated(id);
      const refused = await call({});
      expect(refused.statusCode).toBe(403);
      expect(JSON.parse(refused.body)).toMatchObject({ code: 'FORBIDDEN', detail: expect.stringContaining('public') });
    },
    20_000,
  );

  it('answers requests that come through it', async () => {
    const call = await isolated('meta.health');
    expect((await call({ [EDGE_HEADERS.secret]: NEXT })).statusCode).toBe(200);
  });
});
