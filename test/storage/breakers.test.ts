import { describe, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Provider } from '../../shared/domain/message/provider-port.ts';
import { Routing } from '../../shared/providers/routing.ts';
import { putRoutes, readRoutes } from '../../shared/storage/access/providers.ts';
import { breakers } from '../../shared/storage/due-work/breakers.ts';
import { idNamed } from '../support/ids.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const TWILIO = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'f'.repeat(32), from: '+15005550006' };
const INFOBIP = { apiKey: 'key', callbackAuth: { type: 'basic', username: 'u', password: 'p' } };

const world = await use(startWorld('live'));

describe('the routes of live SMS', () => {
  const routing = (settings: Record<string, unknown> = { twilio: TWILIO, infobip: INFOBIP }) =>
    new Routing({
      env: 'live',
      io: { fetch: globalThis.fetch, now: () => world.now },
      clock: () => world.now,
      breakers: breakers(world.table, () => world.now),
      sandbox: (channel) => ({ name: 'sandbox_provider', channel }) as unknown as Provider<unknown>,
      settings: async (channel) => new Map(Object.entries(channel === 'sms' ? settings : {})),
      routes: (organizationId, channel, route) => readRoutes(world.table, organizationId, channel, route),
    });
  const order = async (table: Routing, organizationId: Id<'organization'>) => {
    const candidates = await table.candidates('sms', organizationId, 'live', 'premium');
    return candidates.kind === 'ready' ? candidates.providers.map(({ name }) => name) : candidates.missing;
  };
  const fail = async (table: Routing, name: string, times: number) => {
    for (let at = 0; at < times; at++) await table.report('sms', name, 'premium', false);
  };

  test('say what is missing when no provider is set up', async () => {
    expect(await order(routing({}), idNamed('organization', 'a'))).toContain('provider set');
  });

  test('are the organization’s own, else the stage’s, else all that are set up', async () => {
    expect(await order(routing(), idNamed('organization', 'b'))).toEqual(['twilio', 'infobip']);
    await putRoutes(world.table, { channel: 'sms', route: 'premium', providers: ['infobip', 'twilio'] });
    expect(await order(routing(), idNamed('organization', 'b'))).toEqual(['infobip', 'twilio']);
    await putRoutes(world.table, {
      organizationId: idNamed('organization', 'b'),
      channel: 'sms',
      route: 'premium',
      providers: ['twilio'],
    });
    expect(await order(routing(), idNamed('organization', 'b'))).toEqual(['twilio']);
    expect(await order(routing(), idNamed('organization', 'c'))).toEqual(['infobip', 'twilio']);
  });

  test('trip a provider after five failures in a row, in every process, and try it again after 30 s', async () => {
    const [one, other] = [routing(), routing()];
    await fail(one, 'infobip', 4);
    await one.report('sms', 'infobip', 'premium', true);
    await fail(one, 'infobip', 4);
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['infobip', 'twilio']);
    await fail(one, 'infobip', 1);
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['twilio', 'infobip']);
    world.now += 5_001;
    expect(await order(other, idNamed('organization', 'd'))).toEqual(['twilio', 'infobip']);
    world.now += 30_000;
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['infobip', 'twilio']);
    // One failure after the 30 s trips it again: it is on probation.
    await fail(one, 'infobip', 1);
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['twilio', 'infobip']);
    world.now += 40_000;
  });

  test('keep a tripped provider as the last resort: with nothing else, trying is better than refusing', async () => {
    const table = routing({ infobip: INFOBIP });
    await fail(table, 'infobip', 5);
    expect(await order(table, idNamed('organization', 'e'))).toEqual(['infobip']);
  });

  test('belong to their channel: what SMS has set up sends nothing else', async () => {
    const table = routing();
    const candidates = await table.candidates('rcs', idNamed('organization', 'f'), 'live', 'easy_rcs');
    expect(candidates).toMatchObject({ kind: 'none', missing: expect.stringContaining('--channel rcs') });
    expect(await table.provider('rcs', 'infobip')).toBeUndefined();
    expect((await table.provider('sms', 'infobip'))?.name).toBe('infobip');
  });

  test('use the channel’s own sandbox in test, whatever is set up, and never trip it', async () => {
    const table = routing();
    expect(await table.candidates('email', idNamed('organization', 'g'), 'test', 'any')).toEqual({
      kind: 'ready',
      providers: [{ name: 'sandbox_provider', channel: 'email' }],
    });
    await fail(table, 'sandbox_provider', 5);
    expect(await breakers(world.table, () => world.now).closed('sms', 'sandbox_provider', 'premium')).toBe(true);
  });
});
