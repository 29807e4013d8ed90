import { describe, expect, test } from 'vitest';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { type Answer, aMessage, apiClient, type Client, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { walletOf } from './support.ts';

/** Single sends of a live key (docs/spec/platform.md#rate-limits). */
const BURST = 100;
const INTERVAL_MS = 60_000 / 600;
/** A call that took longer may have had another second to wait. */
const PROMPT_MS = 600;

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();

/** A call that takes a token and is then refused without a charge: 400 for its missing Idempotency-Key. */
const draw = (client: Client) => client.post('/v2/sms/messages', aMessage);
const tally = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status);
const newKey = async (client: Client, scopes = ['sms:send', 'sms:read']) => {
  const { body } = await client.post('/v2/api-keys', { name: 'Sender', scopes });
  return { id: parseId('apiKey', body.id), client: apiClient(messaging.url, body.key) };
};
/** Sets a key's bucket so that its next token is available in this many ms. */
const setBucket = (id: Id<'apiKey'>, waitMs: number) =>
  messaging.tables.live.write({
    put: { ...KEYS.bucket(id, 'single_send'), fullAt: Date.now() + INTERVAL_MS * (BURST - 1) + waitMs, ttl: 2 ** 31 },
  });

/** A call beyond the limit of a key whose next token is available in this many ms. Repeated where the machine was too slow to say. */
const drawIn = async ({ id, client }: Awaited<ReturnType<typeof newKey>>, waitMs: number): Promise<Answer> => {
  for (;;) {
    const setAt = Date.now();
    await setBucket(id, waitMs);
    const answer = await draw(client);
    if (Date.now() - setAt < PROMPT_MS) return answer;
  }
};

describe('a live key', () => {
  test('may send 100 in a burst and then ten a second; beyond that 429 with Retry-After, before the Idempotency-Key is checked', async () => {
    const { client } = await newKey(tenant.live);
    const startedAt = Date.now();
    const answers = await Promise.all(Array.from({ length: BURST + 60 }, () => draw(client)));
    const refilled = Math.ceil((Date.now() - startedAt) / INTERVAL_MS) + 1;
    const drawn = tally(answers, 400).length;
    expect(drawn).toBeGreaterThanOrEqual(BURST);
    expect(drawn).toBeLessThanOrEqual(BURST + refilled);
    const refused = tally(answers, 429);
    expect(refused.length).toBe(answers.length - drawn);
    for (const answer of refused) expectProblem(answer, 429);
    expect(new Set(refused.map(({ headers }) => headers.get('retry-after')))).toEqual(
      new Set(refused.length > 0 ? ['1'] : []),
    );
  });

  test.each([
    [800, 1],
    [1_800, 2],
    [59_800, 60],
  ])('whose next token is available in %i ms gets Retry-After %i', async (waitMs, seconds) => {
    const key = await newKey(tenant.live);
    expect((await draw(key.client)).status).toBe(400);
    const refused = await drawIn(key, waitMs);
    expectProblem(refused, 429);
    expect(refused.headers.get('retry-after')).toBe(String(seconds));
    expect(refused.body.detail).toBe('The key may send 600 a minute, 100 at once.');
  });

  test('that waits for Retry-After may send again', async () => {
    const key = await newKey(tenant.live);
    const refused = await drawIn(key, 700);
    expect(refused.headers.get('retry-after')).toBe('1');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await draw(key.client)).status).toBe(400);
  });

  test('over its limit can still read and preview, and does not limit other keys', async () => {
    const [used, other] = [await newKey(tenant.live), await newKey(tenant.live)];
    await setBucket(used.id, 30_000);
    expectProblem(await draw(used.client), 429);
    expect((await draw(other.client)).status).toBe(400);
    expect((await used.client.get('/v2/sms/messages')).status).toBe(200);
    expect((await used.client.post('/v2/sms/preview', { body: 'oi' })).status).toBe(200);
  });

  test('without the scope takes no token: 403 is checked first', async () => {
    const { id, client } = await newKey(tenant.live, ['sms:read']);
    await setBucket(id, 30_000);
    expectProblem(await draw(client), 403);
  });
});

test('an organization with more keys than its limit carries gets 429 beyond it, and shows the limit', async () => {
  const other = await messaging.tenant();
  await messaging.tables.live.write({ update: KEYS.organization(other.id), set: { sendsPerMinute: 240 } });
  expect((await other.live.get('/v2/organizations/me')).body.sendsPerMinute).toBe(240);
  expect((await other.test.get('/v2/organizations/me')).body).not.toHaveProperty('sendsPerMinute');
  const keys = await Promise.all(Array.from({ length: 20 }, () => newKey(other.live)));
  const startedAt = Date.now();
  const answers = await Promise.all(keys.flatMap(({ client }) => Array.from({ length: 8 }, () => draw(client))));
  const refilled = Math.ceil((Date.now() - startedAt) / (60_000 / 240)) + 1;
  const drawn = tally(answers, 400).length;
  expect(drawn).toBeGreaterThanOrEqual(40);
  expect(drawn).toBeLessThanOrEqual(40 + refilled);
  const [refused] = tally(answers, 429);
  expect(refused?.body.detail).toBe('The organization may send 240 a minute, 40 at once.');
  expect(tally(answers, 429)).toHaveLength(answers.length - drawn);
});

test('a test key is never limited', async () => {
  const answers = await Promise.all(Array.from({ length: 3 * BURST }, () => draw(tenant.test)));
  expect(tally(answers, 400)).toHaveLength(3 * BURST);
});

describe('the contracted SMS per second', () => {
  const contract = ({ id }: Tenant, env: 'live' | 'test', smsPerSecond: number) =>
    messaging.tables[env].write({ update: KEYS.organization(id), set: { smsPerSecond } });

  test('is a limit: beyond it 429 with Retry-After, no message, no charge, and the key stays free', async () => {
    const other = await messaging.tenant();
    await contract(other, 'test', 3);
    const keys = Array.from({ length: 40 }, (_, at) => `burst-${at}`);
    const answers = await Promise.all(keys.map((key) => other.test.send({}, key)));
    const sent = tally(answers, 201);
    const perSecond = new Map<string, number>();
    for (const { body } of sent)
      perSecond.set(body.createdAt.slice(0, 19), (perSecond.get(body.createdAt.slice(0, 19)) ?? 0) + 1);
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(3);
    const refused = tally(answers, 429);
    expect(sent.length + refused.length).toBe(40);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectProblem(answer, 429);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(refused[0]?.body.meta).toBeUndefined();
    expect((await other.test.get('/v2/sms/messages')).body.total).toBe(sent.length);
    expect(await walletOf(other.test)).toMatchObject({
      balanceCoins: 10_000_000 - 800 * sent.length,
      heldCoins: 0,
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const again = await other.test.send({ body: 'Outro' }, keys[answers.findIndex(({ status }) => status === 429)]);
    expect(again).toMatchObject({ status: 201, body: { replayed: false } });
  });

  test('is shown by the organization; without it there is no limit', async () => {
    const other = await messaging.tenant();
    expect((await other.test.get('/v2/organizations/me')).body).not.toHaveProperty('smsPerSecond');
    const answers = await Promise.all(Array.from({ length: 30 }, () => other.test.send()));
    expect(tally(answers, 201)).toHaveLength(30);
    await contract(other, 'test', 7);
    expect((await other.test.get('/v2/organizations/me')).body).toMatchObject({
      id: other.id,
      smsPerSecond: 7,
      env: 'test',
    });
  });
});
