import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { IssuedApiKey } from '../../shared/contracts/keys.ts';
import { startAccess } from '../support/access.ts';
import { use } from '../support/use.ts';

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<{ statusCode: number; body: string }>;
/** Functions read their environment when they load, so they are loaded once it is set. */
const FUNCTIONS = {
  'keys/list': () => import('../../functions/keys/list.ts'),
  'keys/create': () => import('../../functions/keys/create.ts'),
  'keys/rotate': () => import('../../functions/keys/rotate.ts'),
  'keys/revoke': () => import('../../functions/keys/revoke.ts'),
  'organization/get': () => import('../../functions/organization/get.ts'),
  'accounts/list': () => import('../../functions/accounts/list.ts'),
} as const;

let organization: Awaited<ReturnType<typeof createOrganization>>;
const handlers = new Map<string, Handler>();

const access = await use(startAccess());
beforeAll(async () => {
  organization = await createOrganization(access.tables, { name: 'Loja Azul' });
  const settings = {
    STAGE: 'test',
    TABLE_NAME: access.tables.test.name,
    LIVE_TABLE_NAME: access.tables.live.name,
    PUBLIC_URL: 'http://127.0.0.1:3000',
    DYNAMODB_ENDPOINT: access.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    LOG_LEVEL: 'ERROR',
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  for (const [name, load] of Object.entries(FUNCTIONS))
    handlers.set(name, ((await load()) as unknown as { handler: Handler }).handler);
});
afterAll(async () => {
  vi.unstubAllEnvs();
});

interface Request {
  readonly key?: string;
  readonly id?: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** An answer of the authorizer that the gateway has cached. */
  readonly cached?: Awaited<ReturnType<typeof access.authorize>>;
}
/** A call as the gateway makes it: the authorizer first, then the function with its context. */
const call = async (
  name: keyof typeof FUNCTIONS,
  { key = organization.keys.test, id, body, query = {}, cached }: Request = {},
) => {
  const admitted = cached ?? (await access.authorize('test', `Bearer ${key}`));
  if (!admitted) return { status: 401, body: {} as Record<string, never> };
  const event = {
    path: '/v2/api-keys',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    pathParameters: id === undefined ? null : { id },
    multiValueQueryStringParameters: Object.fromEntries(
      Object.entries(query).map(([field, value]) => [field, [value]]),
    ),
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { identity: { sourceIp: '203.0.113.9' }, requestId: 'req', authorizer: admitted.context },
  } as unknown as APIGatewayProxyEvent;
  const { statusCode, body: text } = (await handlers.get(name)?.(event, {} as Context)) ?? { statusCode: 0, body: '' };
  return { status: statusCode, body: text === '' ? {} : JSON.parse(text) };
};

describe('API keys', () => {
  test('show their secret when created, and never in the list', async () => {
    const created = await call('keys/create', { body: { name: 'Checkout', scopes: ['sms:send', 'sms:read'] } });
    expect(created.status).toBe(201);
    const { key, ...shown } = IssuedApiKey.parse(created.body);
    expect(shown).toMatchObject({
      name: 'Checkout',
      env: 'test',
      scopes: ['sms:read', 'sms:send'],
      last4: key.slice(-4),
    });
    const { status, body } = await call('keys/list', { query: { limit: '1' } });
    expect({ status, total: body.total, item: body.items[0] }).toEqual({ status: 200, total: 2, item: shown });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test('are limited to their scopes from the start', async () => {
    const { body } = await call('keys/create', { body: { name: 'Reader', scopes: ['keys:read'] } });
    expect((await call('keys/list', { key: body.key })).status).toBe(200);
    expect((await call('keys/create', { key: body.key, body: { name: 'x', scopes: ['keys:read'] } })).status).toBe(403);
    expect((await call('organization/get', { key: body.key })).status).toBe(403);
  });

  test('cannot create or rotate a key with scopes of which they have none', async () => {
    const { body } = await call('keys/create', { body: { name: 'Weak', scopes: ['keys:write', 'sms:read'] } });
    expect((await call('keys/create', { key: body.key, body: { name: 'x', scopes: ['sms:send'] } })).status).toBe(403);
    const strong = await call('keys/create', { body: { name: 'Strong', scopes: ['crm:delete'] } });
    expect((await call('keys/rotate', { key: body.key, id: strong.body.id, body: {} })).status).toBe(403);
    expect((await call('keys/create', { key: body.key, body: { name: 'x', scopes: ['sms:read'] } })).status).toBe(201);
  });

  test('refuse a body that breaks the contract: 422', async () => {
    const bad = [
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['sms:fly'] },
      { name: 'x', scopes: ['contacts:pii'] },
      { name: '', scopes: ['sms:send'] },
      { name: 'x', scopes: ['sms:send'], expiresAt: '2020-01-01T00:00:00Z' },
      { name: 'x', scopes: ['sms:send'], env: 'live' },
    ];
    for (const body of bad) expect((await call('keys/create', { body })).status).toBe(422);
    for (const overlapHours of [-1, 721, 1.5, '24'])
      expect((await call('keys/rotate', { id: 'key_x', body: { overlapHours } })).status).toBe(422);
    expect((await call('keys/list', { query: { limit: '201' } })).status).toBe(422);
  });

  test('get a new secret under the same id when rotated, and both work during the overlap', async () => {
    const { body } = await call('keys/create', { body: { name: 'Turns', scopes: ['keys:read'] } });
    const turned = await call('keys/rotate', { id: body.id, body: {} });
    expect(turned).toMatchObject({ status: 200, body: { id: body.id, name: 'Turns', scopes: ['keys:read'] } });
    for (const key of [body.key, turned.body.key]) expect((await call('keys/list', { key })).status).toBe(200);
    const last = await call('keys/rotate', { id: body.id, body: { overlapHours: 0 } });
    expect((await call('keys/list', { key: turned.body.key })).status).toBe(401);
    expect((await call('keys/list', { key: last.body.key })).status).toBe(200);
  });

  test('end when revoked: 204, also when repeated', async () => {
    const { body } = await call('keys/create', { body: { name: 'Ends', scopes: ['keys:read'] } });
    for (let turn = 0; turn < 2; turn++)
      expect(await call('keys/revoke', { id: body.id })).toEqual({ status: 204, body: {} });
    expect((await call('keys/list', { key: body.key })).status).toBe(401);
    expect((await call('keys/rotate', { id: body.id, body: {} })).status).toBe(409);
  });

  test('cannot change keys once revoked, even while the gateway still trusts them', async () => {
    const made = await call('keys/create', { body: { name: 'Leaked', scopes: ['keys:read', 'keys:write'] } });
    const { key, id } = made.body;
    const cached = await access.authorize('test', `Bearer ${key}`);
    await call('keys/revoke', { id });
    expect((await call('keys/list', { key, cached })).status).toBe(200);
    expect((await call('keys/create', { key, cached, body: { name: 'x', scopes: ['keys:read'] } })).status).toBe(401);
    expect((await call('keys/rotate', { key, cached, id, body: {} })).status).toBe(401);
    expect((await call('keys/revoke', { key, cached, id })).status).toBe(401);
  });

  test('of another organization are answered like ones that do not exist', async () => {
    const other = await createOrganization(access.tables, { name: 'Loja Verde' });
    const { body } = await call('keys/create', { body: { name: 'Mine', scopes: ['keys:read'] } });
    for (const name of ['keys/rotate', 'keys/revoke'] as const) {
      const answers = [body.id, 'key_000000000000000000000'].map((id) =>
        call(name, { key: other.keys.test, id, body: {} }),
      );
      const [theirs, absent] = await Promise.all(answers);
      expect(theirs).toMatchObject({ status: 404 });
      expect(theirs).toEqual(absent);
    }
  });
});

describe('the organization of a credential', () => {
  test('is read by any key with organization:read', async () => {
    const { status, body } = await call('organization/get');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: organization.organizationId, name: 'Loja Azul', env: 'test' },
    });
  });

  test('lists its people', async () => {
    expect(await call('accounts/list')).toEqual({ status: 200, body: { items: [], total: 0 } });
  });
});
