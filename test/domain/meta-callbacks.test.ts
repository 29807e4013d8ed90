import { describe, expect, test } from 'vitest';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { CallbackPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { answerChallenge, handleCallback } from '../../shared/domain/inbound/provider-callback.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { MetaEvent } from '../../shared/domain/message/meta-event.ts';
import type {
  CallbackReading,
  InboundEvent,
  Provider,
  ProviderEvent,
} from '../../shared/domain/message/provider-port.ts';
import { lastSentReference } from '../../shared/domain/message/recipient.ts';

const PROVIDER = 'whatsapp_cloud_api';
const PHONE = '+5511987654321';
const NUMBER = '106540352242922';
const tenant = (): Tenant => ({ organizationId: newId('organization'), env: 'live' });

/** A stage in memory that knows one message and the owners that it is given. */
const world = (owners: Readonly<Record<string, readonly Tenant[]>> = {}, fields: Partial<MessageRecord> = {}) => {
  const message = {
    id: newId('message'),
    ...tenant(),
    channel: 'whatsapp',
    provider: PROVIDER,
    ...fields,
  } as MessageRecord;
  const correlations = new Map([
    [`${PROVIDER} wamid.OURS`, message.id],
    [`${PROVIDER} ${lastSentReference('whatsapp', `hash of ${PHONE}`)}`, message.id],
  ]);
  const inbound: (readonly [string, string])[] = [];
  const metaEvents: (readonly [string, string])[] = [];
  const effects: string[] = [];
  const state: {
    reading: CallbackReading;
    fails: boolean;
    provider: { -readonly [K in keyof Provider<unknown>]?: Provider<unknown>[K] };
  } = {
    reading: { kind: 'confirmed' },
    fails: false,
    provider: { name: PROVIDER, readCallback: async () => state.reading },
  };
  const ports = {
    routing: { provider: async (_: string, name: string) => (name === PROVIDER ? state.provider : undefined) },
    messageStore: { read: async (id: string) => (id === message.id ? message : undefined) },
    globalRecipientHash: async (phone: string) => `hash of ${phone}`,
    correlate: async (provider: string, reference: string) => correlations.get(`${provider} ${reference}`),
    ownersOf: async (channel: string, account: string) => (channel === 'whatsapp' ? (owners[account] ?? []) : []),
    async inbound({ organizationId, ...rest }: Tenant, event: InboundEvent) {
      expect(Object.keys(rest)).toEqual(['env']);
      if (state.fails) throw new Error('the table is away');
      const found = [organizationId, event.providerMessageId] as const;
      if (inbound.some((each) => each.join() === found.join())) return 'repeated';
      inbound.push(found);
      return 'kept';
    },
    async applyMetaEvent({ organizationId }: Tenant, event: MetaEvent) {
      metaEvents.push([organizationId, event.about]);
      return organizationId === owners.waba?.[0]?.organizationId ? 'unmatched' : 'kept';
    },
    observe: {
      handled: (_: string, kind: string, effect: string, count: number) =>
        void effects.push(`${kind} ${effect} ${count}`),
      refused: (_: string, cause: string, detail: string) => void effects.push(`${cause}: ${detail}`),
      ignored: (_: string, fields: readonly string[]) => void effects.push(`ignored ${fields.join()}`),
    },
  } as unknown as CallbackPorts;
  const take = (events: readonly ProviderEvent[], unreadable?: number) => {
    state.reading = { kind: 'events', events, ...(unreadable ? { unreadable } : {}) };
    const request = { url: 'https://messaging.example', headers: {}, body: '' };
    return handleCallback(ports, { provider: PROVIDER, kind: 'events' }, request);
  };
  return { ports, state, message, inbound, metaEvents, effects, take };
};

const written = (fields: Partial<InboundEvent> = {}): InboundEvent => ({
  kind: 'inbound',
  channel: 'whatsapp',
  providerMessageId: 'wamid.1',
  from: PHONE,
  to: NUMBER,
  type: 'text',
  text: 'Oi',
  payload: {},
  at: 0,
  ...fields,
});
const removal: MetaEvent = { kind: 'platform', about: 'account', wabaId: 'waba', event: 'ACCOUNT_DELETED', at: 0 };

describe('an inbound message', () => {
  test('is its owner’s whose number it came to, whoever wrote to its sender before', async () => {
    const owner = tenant();
    const at = world({ [NUMBER]: [owner] });
    expect(await at.take([written(), written()])).toBe('handled');
    expect(await at.take([written()])).toBe('handled');
    expect(at.inbound).toEqual([[owner.organizationId, 'wamid.1']]);
    expect(at.effects).toEqual(expect.arrayContaining(['inbound kept 1', 'inbound repeated 1']));
  });

  test.each([
    ['names the message that it answers', { from: '+5511900000000', inReplyTo: 'wamid.OURS' }],
    ['comes from whom it was written to', {}],
    ['answers what is not known, from whom it was written to', { inReplyTo: 'wamid.OTHER' }],
  ])('on a number of nobody is whose it answers: it %s', async (_, fields) => {
    const at = world();
    await at.take([written(fields)]);
    expect(at.inbound).toEqual([[at.message.organizationId, 'wamid.1']]);
  });

  test.each([
    ['from a stranger', {}, { from: '+5511900000000' }],
    ['that answers a message of another channel', { channel: 'sms' }, {}],
  ] as const)('%s on a number of nobody is acknowledged, counted and kept nowhere', async (_, message, fields) => {
    const at = world({}, message as Partial<MessageRecord>);
    expect(await at.take([written(fields)])).toBe('handled');
    expect([at.inbound, at.effects]).toEqual([[], ['inbound unmatched 1']]);
  });

  test('on a number that was an organization’s once is nobody’s, whatever it answers; on the shared one it is whose it answers', async () => {
    for (const [shared, kept] of [
      [NUMBER, 1],
      ['another', 0],
    ] as const) {
      const at = world();
      at.state.provider.isShared = (account) => account === shared;
      expect(await at.take([written(), written({ providerMessageId: 'wamid.2', inReplyTo: 'wamid.OURS' })])).toBe(
        'handled',
      );
      expect(at.inbound).toHaveLength(kept * 2);
      expect(at.effects).toEqual([kept ? 'inbound kept 2' : 'inbound unmatched 2']);
    }
  });

  test('on a number of several is of the one among them that it answers, and of no other', async () => {
    const [one, other] = [tenant(), tenant()];
    const at = world({ [NUMBER]: [one, other] });
    await at.take([written()]);
    expect(at.inbound).toEqual([]);
    const answered = world({ [NUMBER]: [one, other] }, { organizationId: other.organizationId });
    await answered.take([written()]);
    expect(answered.inbound).toEqual([[other.organizationId, 'wamid.1']]);
  });

  test('that could not be kept makes the platform call again, which is harmless', async () => {
    const at = world();
    at.state.fails = true;
    await expect(at.take([written()])).rejects.toThrow('the table is away');
    at.state.fails = false;
    expect(await at.take([written()])).toBe('handled');
    expect(at.inbound).toHaveLength(1);
  });
});

describe('what a person tells the platform of marketing', () => {
  const stops = (from = PHONE): MetaEvent => ({
    kind: 'platform',
    about: 'preference',
    at: 0,
    phoneNumberId: NUMBER,
    from,
    value: 'stop',
  });

  test('is for the owner of the number, on the shared one for who wrote to them last, and else for nobody', async () => {
    const owner = tenant();
    const owned = world({ [NUMBER]: [owner] });
    await owned.take([stops()]);
    expect(owned.metaEvents).toEqual([[owner.organizationId, 'preference']]);
    const shared = world();
    await shared.take([stops(), stops('+5511900000000')]);
    expect(shared.metaEvents).toEqual([[shared.message.organizationId, 'preference']]);
    expect(shared.effects.sort()).toEqual(['platform kept 1', 'platform unmatched 1']);
    const gone = world();
    gone.state.provider.isShared = () => false;
    await gone.take([stops()]);
    expect(gone.metaEvents).toEqual([]);
  });
});

describe('what the platform says of an account', () => {
  test('is applied to every organization that has a number of it, and counted once', async () => {
    const [one, other] = [tenant(), tenant()];
    const at = world({ waba: [one, other] });
    await at.take([removal]);
    expect(at.metaEvents.map(([id]) => id).sort()).toEqual([one.organizationId, other.organizationId].sort());
    expect(at.effects).toEqual(['platform kept 1']);
  });

  test('of nobody is acknowledged and counted', async () => {
    const at = world();
    expect(await at.take([removal])).toBe('handled');
    expect(at.effects).toEqual(['platform unmatched 1']);
  });
});

test('entries that could not be read are counted, and the others are taken', async () => {
  const at = world();
  expect(await at.take([written()], 2)).toBe('handled');
  expect(at.effects).toEqual(['malformed: 2 entries of no known form', 'inbound kept 1']);
});

describe('a challenge', () => {
  const ask = (at: ReturnType<typeof world>, provider = PROVIDER) =>
    answerChallenge(at.ports, { provider, kind: 'events' }, { token: 'ours' });

  test('is answered as the provider answers it, 403 where it does not', async () => {
    const at = world();
    at.state.provider.answerChallenge = ({ token }) => (token === 'ours' ? '42' : undefined);
    expect(await ask(at)).toBe('42');
    at.state.provider.answerChallenge = () => undefined;
    expect(await ask(at)).toMatchObject({ name: 'FORBIDDEN' });
  });

  test('of a provider that asks none, or is not set up, is 404', async () => {
    expect(await ask(world())).toMatchObject({ name: 'NOT_FOUND' });
    expect(await ask(world(), 'another')).toMatchObject({ name: 'NOT_FOUND' });
  });
});
