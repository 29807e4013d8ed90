import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SmsProviderName } from '../../shared/domain/sms/provider.ts';
import { SmsRoutingTable } from '../../shared/providers/sms/routing.ts';
import { breakers } from '../../shared/storage/breakers.ts';
import { putRoutes, readRoutes } from '../../shared/storage/providers.ts';
import { startWorld, type World } from '../support/world.ts';

const TWILIO = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'f'.repeat(32), from: '+15005550006' };
const INFOBIP = { apiKey: 'key', callbackAuth: { type: 'basic', username: 'u', password: 'p' } };

describe('the routes of live SMS', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('live');
  });
  afterAll(() => world.close());

  const routing = (settings: Record<string, unknown> = { twilio: TWILIO, infobip: INFOBIP }) =>
    new SmsRoutingTable({
      env: 'live',
      io: { fetch: globalThis.fetch, now: () => world.now },
      clock: () => world.now,
      breakers: breakers(world.table, () => world.now),
      settings: async () => new Map(Object.entries(settings)),
      routes: (organizationId, route) => readRoutes(world.table, organizationId, 'sms', route),
    });
  const order = async (table: SmsRoutingTable, organizationId: string) => {
    const candidates = await table.candidates(organizationId, 'live', 'premium');
    return candidates.kind === 'ready' ? candidates.providers.map(({ name }) => name) : candidates.missing;
  };
  const fail = async (table: SmsRoutingTable, name: SmsProviderName, times: number) => {
    for (let at = 0; at < times; at++) await table.report(name, 'premium', false);
  };

  test('name what is missing when no provider is set up', async () => {
    expect(await order(routing({}), 'org_a')).toContain('provider set');
  });

  test('are the organization’s own, else the stage’s, else all that are set up', async () => {
    expect(await order(routing(), 'org_b')).toEqual(['twilio', 'infobip']);
    await putRoutes(world.table, { channel: 'sms', route: 'premium', providers: ['infobip', 'twilio'] });
    expect(await order(routing(), 'org_b')).toEqual(['infobip', 'twilio']);
    await putRoutes(world.table, { organizationId: 'org_b', channel: 'sms', route: 'premium', providers: ['twilio'] });
    expect(await order(routing(), 'org_b')).toEqual(['twilio']);
    expect(await order(routing(), 'org_c')).toEqual(['infobip', 'twilio']);
  });

  test('rest a provider after five failures in a row, in every process, and try it again after 30 s', async () => {
    const [one, other] = [routing(), routing()];
    await fail(one, 'infobip', 4);
    await one.report('infobip', 'premium', true);
    await fail(one, 'infobip', 4);
    expect(await order(one, 'org_d')).toEqual(['infobip', 'twilio']);
    await fail(one, 'infobip', 1);
    expect(await order(one, 'org_d')).toEqual(['twilio', 'infobip']);
    world.now += 5_001;
    expect(await order(other, 'org_d')).toEqual(['twilio', 'infobip']);
    world.now += 30_000;
    expect(await order(one, 'org_d')).toEqual(['infobip', 'twilio']);
    // One failure after its rest trips it at once: it is on probation.
    await fail(one, 'infobip', 1);
    expect(await order(one, 'org_d')).toEqual(['twilio', 'infobip']);
    world.now += 40_000;
  });

  test('keep a tripped provider as the last resort: with nothing else, trying is better than refusing', async () => {
    const table = routing({ infobip: INFOBIP });
    await fail(table, 'infobip', 5);
    expect(await order(table, 'org_e')).toEqual(['infobip']);
  });
});
