import { describe, expect, test } from 'vitest';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Provider } from '../../shared/domain/message/provider-port.ts';
import { Routing } from '../../shared/providers/routing.ts';
import { putRoutes, readRoutes } from '../../shared/storage/access/providers.ts';
import { breakers } from '../../shared/storage/due-work/breakers.ts';
import { idNamed } from '../support/ids.ts';
import { networkIo } from '../support/providers/io.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const TWILIO = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'f'.repeat(32), from: '+15005550006' };
const INFOBIP = { apiKey: 'key', callbackAuth: { type: 'basic', username: 'u', password: 'p' } };

const world = await use(startWorld('live'));

describe('the routes of live SMS', () => {
  const routing = (settings: Record<string, unknown> = { twilio: TWILIO, infobip: INFOBIP }) =>
    new Routing({
      env: 'live',
      io: networkIo(() => world.now),
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
    world.now += 10_001;
    await fail(one, 'infobip', 4);
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['infobip', 'twilio']);
    await fail(one, 'infobip', 1);
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['twilio', 'infobip']);
    world.now += 5_001;
    expect(await order(other, idNamed('organization', 'd'))).toEqual(['twilio', 'infobip']);
    world.now += 30_000;
    expect((await one.candidates('sms', idNamed('organization', 'd'), 'live', 'premium', 'send')).kind).toBe('ready');
    // One failure after the 30 s trips it again: it is on probation.
    await fail(one, 'infobip', 1);
    expect(await order(one, idNamed('organization', 'd'))).toEqual(['twilio', 'infobip']);
    world.now += 40_000;
  });

  /** The candidates of a send on a new route: the providers in order, or how long all of them are paused. */
  const found = async (table: Routing, route: string) => {
    const candidates = await table.candidates('sms', idNamed('organization', 'e'), 'live', route, 'send');
    if (candidates.kind === 'none') return candidates.missing;
    return candidates.restMs ?? candidates.providers.map(({ name }) => name);
  };

  test('allow no call while every provider fails, and then one trial call, in whichever process', async () => {
    const processes = Array.from({ length: 20 }, () => routing({ infobip: INFOBIP }));
    const [first] = processes as [Routing];
    const failed = () => first.report('sms', 'infobip', 'down', false);
    for (let at = 0; at < 5; at++) await failed();
    expect(await Promise.all(processes.map((each) => found(each, 'down')))).toEqual(processes.map(() => 30_000));
    // A caller that only lists candidates finds the provider unchanged.
    expect((await first.candidates('sms', idNamed('organization', 'e'), 'live', 'down')).kind).toBe('ready');
    world.now += 30_001;
    const probing = await Promise.all(processes.map((each) => found(each, 'down')));
    expect(probing.filter((each) => Array.isArray(each))).toEqual([['infobip']]);
    await failed();
    world.now += 5_001;
    expect(new Set(await Promise.all(processes.map((each) => found(each, 'down'))))).toEqual(new Set([24_999]));
    world.now += 25_000;
    const again = await Promise.all(processes.map((each) => found(each, 'down')));
    const prober = processes[again.findIndex((each) => Array.isArray(each))];
    await prober?.report('sms', 'infobip', 'down', true);
    world.now += 5_001;
    expect(await Promise.all(processes.map((each) => found(each, 'down')))).toEqual(processes.map(() => ['infobip']));
  });

  test('try a rested provider before the healthy one behind it, by one call', async () => {
    const table = routing();
    for (let at = 0; at < 5; at++) await table.report('sms', 'twilio', 'order', false);
    expect(await found(table, 'order')).toEqual(['infobip', 'twilio']);
    world.now += 30_001;
    expect([await found(table, 'order'), await found(table, 'order')]).toEqual([
      ['twilio', 'infobip'],
      ['infobip', 'twilio'],
    ]);
  });

  test('let the next call try after 15 s where the one whose turn it was ended without calling anybody', async () => {
    const [one, other] = [routing({ infobip: INFOBIP }), routing({ infobip: INFOBIP })];
    for (let at = 0; at < 5; at++) await one.report('sms', 'infobip', 'unused', false);
    world.now += 30_001;
    expect(await found(one, 'unused')).toEqual(['infobip']);
    world.now += 14_999;
    expect(await found(other, 'unused')).toEqual(1);
    world.now += 1;
    expect(await found(other, 'unused')).toEqual(['infobip']);
  });

  test('try no rested provider that stands behind a healthy one', async () => {
    const table = routing();
    for (let at = 0; at < 5; at++) await table.report('sms', 'infobip', 'behind', false);
    world.now += 30_001;
    expect(await found(table, 'behind')).toEqual(['twilio', 'infobip']);
  });

  test('trip a provider whose time-outs are spread over processes; a few failures among many successes do not', async () => {
    const succeed = async (table: Routing, route: string) => {
      for (let at = 0; at < 20; at++) await table.report('sms', 'infobip', route, true);
    };
    const spread = Array.from({ length: 5 }, () => routing({ infobip: INFOBIP }));
    // Successes before the time-outs are no evidence.
    for (const each of spread) await succeed(each, 'spread');
    world.now += 10_001;
    for (const each of spread) await each.report('sms', 'infobip', 'spread', false);
    world.now += 5_001;
    expect(await Promise.all(spread.map((each) => found(each, 'spread')))).toEqual(spread.map(() => 24_999));
    const busy = Array.from({ length: 8 }, () => routing({ infobip: INFOBIP }));
    for (const each of busy) await succeed(each, 'busy');
    for (const each of busy) await each.report('sms', 'infobip', 'busy', false);
    world.now += 5_001;
    expect(await found(busy[0] as Routing, 'busy')).toEqual(['infobip']);
  });

  test('count the successes of a process once, however many of its calls fail at the same time', async () => {
    const [one, other] = [routing({ infobip: INFOBIP }), routing({ infobip: INFOBIP })];
    for (let at = 0; at < 4; at++) await one.report('sms', 'infobip', 'at once', true);
    await Promise.all([1, 2, 3, 4].map(() => one.report('sms', 'infobip', 'at once', false)));
    await other.report('sms', 'infobip', 'at once', false);
    expect(await found(other, 'at once')).toEqual(30_000);
  });

  test('forget failures that are older than ten seconds', async () => {
    const slow = Array.from({ length: 10 }, () => routing({ infobip: INFOBIP }));
    for (const each of slow) {
      await each.report('sms', 'infobip', 'slow', false);
      world.now += 2_600;
    }
    expect(await found(slow[0] as Routing, 'slow')).toEqual(['infobip']);
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
    expect(await breakers(world.table, () => world.now).state('sms', 'sandbox_provider', 'premium')).toEqual({
      kind: 'closed',
    });
  });
});
