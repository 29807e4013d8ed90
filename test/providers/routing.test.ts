import { expect, it, vi } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { Provider } from '../../shared/domain/message/provider-port.ts';
import type { Candidates } from '../../shared/domain/sending/ports.ts';
import { Routing, type RoutingSources } from '../../shared/providers/routing.ts';
import { startInfobipRcsStandIn } from '../support/providers/infobip-rcs-stand-in.ts';
import { io, NOW } from '../support/providers/kit.ts';

const AUTH = { type: 'basic', username: 'u', password: 'p' };
const SETTINGS: Readonly<Partial<Record<Channel, Readonly<Record<string, unknown>>>>> = {
  sms: {
    infobip: { apiKey: 'key', callbackAuth: AUTH },
    twilio: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'f', from: '+15005550006' },
  },
  rcs: { infobip: { apiKey: 'key', sender: 'Loja', callbackAuth: AUTH } },
};

const ORGANIZATIONS = { a: newId('organization'), b: newId('organization') };

/** A routing over sources in memory; `read` records what it reads. */
const world = (over: Partial<RoutingSources> = {}) => {
  const read: string[] = [];
  const state = { now: NOW, orders: {} as Record<string, readonly string[]>, tripped: [] as string[] };
  const routing = new Routing({
    env: 'live',
    io,
    clock: () => state.now,
    breakers: {
      state: async (channel, provider, route) =>
        state.tripped.includes(`${channel}/${provider}/${route}`)
          ? { kind: 'resting', ms: 30_000 }
          : { kind: 'closed' },
      probe: async () => false,
      report: async () => undefined,
    },
    sandbox: (channel) => ({ name: 'sandbox_provider', of: channel }) as unknown as Provider<unknown>,
    settings: async (channel) => {
      read.push(`settings of ${channel}`);
      return new Map(Object.entries(SETTINGS[channel] ?? {}));
    },
    routes: async (organizationId, channel, route) => {
      read.push(`order of ${channel}/${route}`);
      return state.orders[`${organizationId}/${channel}/${route}`];
    },
    ...over,
  });
  const order = async (channel: Channel, route: string, organizationId = ORGANIZATIONS.a) => {
    const candidates = await routing.candidates(channel, organizationId, 'live', route);
    return candidates.kind === 'ready' ? candidates.providers.map(({ name }) => name) : candidates.missing;
  };
  return { routing, state, read, order };
};

it('keeps the orders of channels apart, also where their routes have the same name', async () => {
  const { state, order } = world();
  state.orders = { [`${ORGANIZATIONS.a}/sms/otp`]: ['infobip', 'twilio'], [`${ORGANIZATIONS.a}/rcs/otp`]: ['infobip'] };
  expect(await order('sms', 'otp')).toEqual(['infobip', 'twilio']);
  expect(await order('rcs', 'otp')).toEqual(['infobip']);
  expect(await order('sms', 'otp', ORGANIZATIONS.b)).toEqual(['twilio', 'infobip']);
});

it('opens the adapter of the channel where a provider has several channels', async () => {
  const { routing } = world();
  const standIn = await startInfobipRcsStandIn(() => NOW);
  const rcs = world({ settings: async () => new Map([['infobip', standIn.settings]]) });
  const adapter = await rcs.routing.provider('rcs', 'infobip');
  await adapter?.send({
    messageId: 'msg_0123456789abcdefghijk' as never,
    to: '+5511987654321',
    route: 'easy_rcs',
    content: { text: 'Olá' },
    callbackUrl: 'https://callbacks.test/x',
  });
  await standIn.close();
  expect(standIn.requests.map(({ path }) => path)).toEqual(['/rcs/2/messages']);
  expect((await routing.provider('sms', 'infobip'))?.name).toBe('infobip');
});

it('reads the settings of a channel and the order of a route once in ten seconds', async () => {
  const { state, read, order } = world();
  for (let at = 0; at < 3; at++) await order('sms', 'otp');
  expect(read.toSorted()).toEqual(['order of sms/otp', 'settings of sms']);
  state.now += 10_000;
  await order('sms', 'otp');
  expect(read.length).toBe(4);
});

it('skips providers of an order that are not configured or unknown, and reports what is missing if none remain', async () => {
  const { state, order } = world();
  state.orders = { [`${ORGANIZATIONS.a}/rcs/easy_rcs`]: ['aws_end_user_messaging', 'nobody', 'infobip'] };
  expect(await order('rcs', 'easy_rcs')).toEqual(['infobip']);
  expect(await order('push', 'any')).toContain('--channel push');
});

it('moves a provider with an open breaker to the end of its own channel and route alone', async () => {
  const { state, order } = world();
  state.tripped = ['sms/twilio/otp'];
  expect(await order('sms', 'otp')).toEqual(['infobip', 'twilio']);
  expect(await order('sms', 'premium')).toEqual(['twilio', 'infobip']);
});

it('returns the sandbox of the channel in test, and by its name', async () => {
  const { routing, read } = world();
  const candidates = await routing.candidates('rcs', ORGANIZATIONS.a, 'test', 'easy_rcs');
  expect(candidates).toHaveProperty('providers', [{ name: 'sandbox_provider', of: 'rcs' }]);
  expect(await routing.provider('email', 'sandbox_provider')).toEqual({ name: 'sandbox_provider', of: 'email' });
  expect(read).toEqual([]);
});

it("sends a channel of the organizations' own providers through them alone, and records no health of the stage's routes", async () => {
  const own: Candidates = { kind: 'none', missing: 'no app is registered' };
  const report = vi.fn(async () => undefined);
  const { routing, read } = world({
    breakers: { state: async () => ({ kind: 'closed' }), probe: async () => true, report },
    ownedBy: { push: async (organizationId) => ({ ...own, missing: `${own.missing} by ${organizationId}` }) },
  });
  expect(await routing.candidates('push', ORGANIZATIONS.a, 'live', 'default')).toEqual({
    kind: 'none',
    missing: `no app is registered by ${ORGANIZATIONS.a}`,
  });
  await routing.report('push', 'push_services', 'default', false);
  expect(read).toEqual([]);
  expect(report).not.toHaveBeenCalled();
  const inTest = await routing.candidates('push', ORGANIZATIONS.a, 'test', 'default');
  expect(inTest.kind === 'ready' && inTest.providers.map(({ name }) => name)).toEqual(['sandbox_provider']);
});
