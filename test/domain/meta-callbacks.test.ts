import { describe, expect, test } from 'vitest';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { CallbackPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { answerChallenge, handleCallback } from '../../shared/domain/inbound/provider-callback.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { MetaEvent } from '../../shared/domain/message/meta-event.ts';
import type {
  CallbackReader,
  CallbackReading,
  InboundEvent,
  ProviderEvent,
} from '../../shared/domain/message/provider-port.ts';
import { lastSentReference } from '../../shared/domain/message/recipient.ts';

const PROVIDER = 'whatsapp_cloud_api';
const PHONE = '+5511987654321';
const NUMBER = '106540352242922';
const tenant = (): Tenant => ({ organizationId: newId('organization'), env: 'live' });

/** The ports of one message and the given owners of numbers and accounts, in memory. */
const world = (owners: Readonly<Record<string, readonly Tenant[]>> = {}, fields: Partial<MessageRecord> = {}) => {
  const own = { id: newId('message'), ...tenant(), channel: 'whatsapp', provider: PROVIDER };
  const message = { ...own, ...fields } as MessageRecord;
  const correlations = new Map([[`${PROVIDER} wamid.OURS`, message.id]]);
  const inbound: (readonly [string, string])[] = [];
  const metaEvents: (readonly [string, string])[] = [];
  const effects: string[] = [];
  const state: {
    reading: CallbackReading;
    fails: boolean;
    reader: { -readonly [K in keyof CallbackReader]: CallbackReader[K] };
  } = {
    reading: { kind: 'confirmed' },
    fails: false,
    reader: { readCallback: async () => state.reading },
  };
  const ports = {
    readerOf: async (_: string, name: string) => (name === PROVIDER ? state.reader : undefined),
    messageStore: { read: async (id: string) => (id === message.id ? message : undefined) },
    globalRecipientHash: async (phone: string) => `hash of ${phone}`,
    correlate: async (provider: string, reference: string) => correlations.get(`${provider} ${reference}`),
    lastSent: async (provider: string, reference: string) =>
      `${provider} ${reference}` === `${PROVIDER} ${lastSentReference('whatsapp', `hash of ${PHONE}`)}`
        ? [{ organizationId: message.organizationId, messageId: message.id, at: 0 }]
        : [],
    ownersOf: async (channel: string, account: string) => (channel === 'whatsapp' ? (owners[account] ?? []) : []),
    async inbound({ organizationId, ...rest }: Tenant, event: InboundEvent) {
      expect(Object.keys(rest)).toEqual(['env']);
      if (state.fails) throw new Error('the table is away');
      const received = [organizationId, event.providerMessageId] as const;
      if (inbound.some((each) => each.join() === received.join())) return 'repeated';
      inbound.push(received);
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
  const receive = (events: readonly ProviderEvent[], unreadable?: number) => {
    state.reading = { kind: 'events', events, ...(unreadable ? { unreadable } : {}) };
    const request = { url: 'https://messaging.example', headers: {}, body: '' };
    return handleCallback(ports, { provider: PROVIDER, kind: 'events' }, request);
  };
  return { ports, state, message, inbound, metaEvents, effects, receive };
};

const inboundEvent = (fields: Partial<InboundEvent> = {}): InboundEvent => ({
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
  test('belongs to the owner of the number, regardless of earlier messages to the sender', async () => {
    const owner = tenant();
    const at = world({ [NUMBER]: [owner] });
    expect(await at.receive([inboundEvent(), inboundEvent()])).toBe('handled');
    expect(await at.receive([inboundEvent()])).toBe('handled');
    expect(at.inbound).toEqual([[owner.organizationId, 'wamid.1']]);
    expect(at.effects).toEqual(expect.arrayContaining(['inbound kept 1', 'inbound repeated 1']));
  });

  test.each([
    ['names the message that it replies to', { from: '+5511900000000', inReplyTo: 'wamid.OURS' }],
    ['comes from the recipient of a message', {}],
    ['replies to an unknown message, from the recipient of another', { inReplyTo: 'wamid.OTHER' }],
  ])('on a number without an owner belongs to the sender of the message where it %s', async (_, fields) => {
    const at = world();
    await at.receive([inboundEvent(fields)]);
    expect(at.inbound).toEqual([[at.message.organizationId, 'wamid.1']]);
  });

  test.each([
    ['from a stranger', {}, { from: '+5511900000000' }],
    ['that replies to a message of another channel', { channel: 'sms' }, {}],
  ] as const)('%s on a number without an owner is acknowledged, counted and not stored', async (_, message, fields) => {
    const at = world({}, message as Partial<MessageRecord>);
    expect(await at.receive([inboundEvent(fields)])).toBe('handled');
    expect([at.inbound, at.effects]).toEqual([[], ['inbound unmatched 1']]);
  });

  test('on a disconnected number has no owner; on the shared one it belongs to the sender of the message that it replies to', async () => {
    for (const isShared of [true, false]) {
      const at = world();
      at.state.reader.isShared = (account) => (account === NUMBER) === isShared;
      const reply = inboundEvent({ providerMessageId: 'wamid.2', inReplyTo: 'wamid.OURS' });
      expect(await at.receive([inboundEvent(), reply])).toBe('handled');
      expect(at.inbound).toHaveLength(isShared ? 2 : 0);
      expect(at.effects).toEqual([isShared ? 'inbound kept 2' : 'inbound unmatched 2']);
    }
  });

  test('on a number of several owners belongs to the one that it replies to, and to no other', async () => {
    const [one, other] = [tenant(), tenant()];
    const at = world({ [NUMBER]: [one, other] });
    await at.receive([inboundEvent()]);
    expect(at.inbound).toEqual([]);
    const answered = world({ [NUMBER]: [one, other] }, { organizationId: other.organizationId });
    await answered.receive([inboundEvent()]);
    expect(answered.inbound).toEqual([[other.organizationId, 'wamid.1']]);
  });

  test('that could not be stored fails the callback, and a repeat stores it once', async () => {
    const at = world();
    at.state.fails = true;
    await expect(at.receive([inboundEvent()])).rejects.toThrow('the table is away');
    at.state.fails = false;
    expect(await at.receive([inboundEvent()])).toBe('handled');
    expect(at.inbound).toHaveLength(1);
  });
});

const stop = { kind: 'platform', about: 'preference', at: 0, phoneNumberId: NUMBER, value: 'stop' } as const;
const stops = (from = PHONE): MetaEvent => ({ ...stop, from });

test('a marketing preference applies to the owner of the number; on the shared number, to the last sender to that person, if any', async () => {
  const owner = tenant();
  const owned = world({ [NUMBER]: [owner] });
  await owned.receive([stops()]);
  expect(owned.metaEvents).toEqual([[owner.organizationId, 'preference']]);
  const shared = world();
  await shared.receive([stops(), stops('+5511900000000')]);
  expect(shared.metaEvents).toEqual([[shared.message.organizationId, 'preference']]);
  expect(shared.effects.sort()).toEqual(['platform kept 1', 'platform unmatched 1']);
  const gone = world();
  gone.state.reader.isShared = () => false;
  await gone.receive([stops()]);
  expect(gone.metaEvents).toEqual([]);
});

describe('an account event of Meta', () => {
  test('is applied to every organization with a number of the account, and counted once', async () => {
    const [one, other] = [tenant(), tenant()];
    const at = world({ waba: [one, other] });
    await at.receive([removal]);
    expect(at.metaEvents.map(([id]) => id).sort()).toEqual([one.organizationId, other.organizationId].sort());
    expect(at.effects).toEqual(['platform kept 1']);
  });

  test('of an unknown account is acknowledged and counted', async () => {
    const at = world();
    expect(await at.receive([removal])).toBe('handled');
    expect(at.effects).toEqual(['platform unmatched 1']);
  });
});

test('unreadable entries are counted, and the others are handled', async () => {
  const at = world();
  expect(await at.receive([inboundEvent()], 2)).toBe('handled');
  expect(at.effects).toEqual(['malformed: 2 entries of no known form', 'inbound kept 1']);
});

describe('a challenge', () => {
  const challenge = (at: ReturnType<typeof world>, provider = PROVIDER) =>
    answerChallenge(at.ports, { provider, kind: 'events' }, { token: 'ours' });

  test('is answered as the provider answers it, 403 where it does not', async () => {
    const at = world();
    at.state.reader.answerChallenge = ({ token }) => (token === 'ours' ? '42' : undefined);
    expect(await challenge(at)).toBe('42');
    at.state.reader.answerChallenge = () => undefined;
    expect(await challenge(at)).toMatchObject({ name: 'FORBIDDEN' });
  });

  test('of a provider without challenges, or that is not configured, is 404', async () => {
    expect(await challenge(world())).toMatchObject({ name: 'NOT_FOUND' });
    expect(await challenge(world(), 'another')).toMatchObject({ name: 'NOT_FOUND' });
  });
});
