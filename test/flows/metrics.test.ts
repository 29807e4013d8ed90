import { describe, expect, test } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';

const messaging = await use(startMessaging({ streamSeconds: 1 }));
const TO = '+551199999';

describe('GET /v2/metrics', () => {
  test('counts the outcomes and the cost of messages of the environment by channel and hour', async () => {
    const { test: client, live } = await messaging.tenant();
    for (const ending of ['0005', '0006', '0099'])
      expect((await client.send({ to: `${TO}${ending}` })).status).toBe(201);
    const metrics = () => client.get('/v2/metrics');
    const counts = { total: 3, sent: 3, delivered: 1, failed: 1 };
    await expect.poll(async () => (await metrics()).body.totals, PATIENCE).toMatchObject(counts);
    const { status, body } = await metrics();
    expect([status, body.env, body.granularity, body.timeZone]).toEqual([200, 'test', 'hour', 'America/Sao_Paulo']);
    const [sms] = body.channels;
    expect(body.channels).toHaveLength(1);
    expect(sms).toMatchObject({ channel: 'sms', ...counts, deliveryRate: 0.3333 });
    const wallet = (await client.get('/v2/wallet')).body;
    expect(sms.coins).toBe(10_000_000 - wallet.balanceCoins - wallet.heldCoins);
    expect(body.failures).toEqual([{ channel: 'sms', reason: 'carrier_rejected', count: 1 }]);
    const counted = body.items.flatMap(({ channels }: { channels: { total: number }[] }) => channels);
    expect(counted.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(3);
    expect((await live.get('/v2/metrics')).body.totals.total).toBe(0);
  });

  test('answers for one channel, by the day, when asked to', async () => {
    const { test: client } = await messaging.tenant();
    await client.send({ to: `${TO}0099` });
    const read = () => client.get('/v2/metrics', { granularity: 'day', channel: 'sms', timeZone: 'UTC' });
    await expect.poll(async () => (await read()).body.totals, PATIENCE).toMatchObject({ total: 1, sent: 1 });
    const days = await read();
    expect(days.body.items).toHaveLength(31);
    const counted = days.body.items.slice(-2).flatMap(({ channels }: { channels: object[] }) => channels);
    expect(counted).toMatchObject([{ channel: 'sms', sent: 1 }]);
    expect((await client.get('/v2/metrics', { channel: 'email' })).body.totals.total).toBe(0);
  });

  test('refuses an invalid window, and names the parameter', async () => {
    const { test: client } = await messaging.tenant();
    const refused = async (query: Record<string, string>) => {
      const { status, body } = await client.get('/v2/metrics', query);
      return [status, body.errors?.[0]?.path];
    };
    expect(await refused({ from: '2026-01-01T00:00:00Z', to: '2026-03-01T00:00:00Z' })).toEqual([422, 'to']);
    expect(await refused({ timeZone: 'Brasil/Leste' })).toEqual([422, 'timeZone']);
    expect(await refused({ granularity: 'minute' })).toEqual([422, 'granularity']);
    expect(await refused({ from: 'ontem' })).toEqual([422, 'from']);
  });
});
