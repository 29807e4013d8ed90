import { describe, expect, test } from 'vitest';
import { receiveCallback as contract } from '../../shared/contracts/callbacks.ts';
import type { SmsProvider, SmsProviderName } from '../../shared/domain/channels/sms/content.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { CallbackPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { callbackUrl, handleCallback } from '../../shared/domain/inbound/provider-callback.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { CallbackReading, ProviderEvent } from '../../shared/domain/message/provider-port.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { type PendingReceipt, receiptFingerprint } from '../../shared/domain/sending/apply-receipt.ts';
import { twilio, twilioSignature } from '../../shared/providers/sms/twilio.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const TWILIO = { provider: 'twilio', kind: 'receipts' } as const;
const PHONE = '+5511999990005';
const REQUEST = { url: 'https://messaging.example/callbacks/infobip/receipts', headers: {}, body: '' };

/** A stage with one message, in memory. `reading` is what the adapter makes of any callback. */
const world = (fields: Partial<MessageRecord> = {}) => {
  const message = {
    id: newId('message'),
    organizationId: newId('organization'),
    env: 'live',
    channel: 'sms',
    provider: 'infobip',
    status: 'sending',
    hold: 'open',
    route: 'premium',
    to: PHONE,
    ...fields,
  } as MessageRecord;
  const parked = new Map<string, PendingReceipt>();
  const replies = new Map<string, ReplyRecord>();
  const state: { reading: CallbackReading; provider: SmsProvider | undefined; keepFails: number } = {
    reading: { kind: 'confirmed' },
    provider: undefined,
    keepFails: 0,
  };
  const correlations = new Map([
    [`infobip p-1`, message.id],
    [`infobip sms-to:hash of ${PHONE}`, message.id],
  ]);
  const effects: string[] = [];
  const events: DomainEvent[] = [];
  const enqueued: string[] = [];
  const scripted = { name: 'infobip', readCallback: async () => state.reading } as unknown as SmsProvider;
  const ports: CallbackPorts = {
    clock: () => NOW,
    prices: async () => DEFAULT_PRICES,
    messageStore: {
      read: async (id) => (id === message.id ? message : undefined),
    } as CallbackPorts['messageStore'],
    globalRecipientHash: async (phone) => `hash of ${phone}`,
    recipientHashOf: async (_, kind, value) => `${kind} hash of ${value}`,
    sender: async () => ({ own: { optedOut: false } }),
    links: async () => [],
    routing: { provider: async (_, name) => state.provider ?? (name === 'infobip' ? scripted : undefined) },
    correlate: async (provider, reference) => correlations.get(`${provider} ${reference}`),
    async addPendingReceipt(messageId, event) {
      const receipt = { messageId, fingerprint: receiptFingerprint(event), event };
      parked.set(`${messageId} ${receipt.fingerprint}`, receipt);
      return receipt;
    },
    enqueueReceipt: ({ fingerprint }) => void enqueued.push(fingerprint),
    raise: async (event) => {
      if (events.some(({ id }) => id === event.id)) return false;
      events.push(event);
      return true;
    },
    async store(reply, event) {
      if (state.keepFails-- > 0) throw new Error('the table is away');
      if (replies.has(reply.id)) return 'repeated';
      replies.set(reply.id, reply);
      events.push(event);
      return 'kept';
    },
    ownersOf: async () => [],
    inbound: async () => 'kept',
    applyMetaEvent: async () => 'unmatched',
    observe: {
      handled: (_, kind, effect, count) => void effects.push(`${kind} ${effect} ${count}`),
      refused: (_, cause) => void effects.push(cause),
      ignored: (_, fields) => void effects.push(`ignored ${fields.join()}`),
    },
  };
  const take = (reading: CallbackReading, name: SmsProviderName = 'infobip') => {
    state.reading = reading;
    return handleCallback(ports, { provider: name, kind: 'receipts' }, REQUEST);
  };
  return { ports, state, message, parked, replies, effects, events, enqueued, take };
};

const receipt = (fields: Partial<Extract<ProviderEvent, { kind: 'receipt' }>> = {}): ProviderEvent => ({
  kind: 'receipt',
  providerMessageId: 'p-1',
  status: 'delivered',
  receipt: { id: 'p-1', type: 'api_message', to: PHONE, status: 'DELIVERED' },
  ...fields,
});
const reply = (fields: Partial<Extract<ProviderEvent, { kind: 'reply' }>> = {}): ProviderEvent => ({
  kind: 'reply',
  providerReplyId: 'r-1',
  from: PHONE,
  to: '28900',
  body: 'Sim',
  at: NOW - 1_000,
  ...fields,
});
const events = (...all: ProviderEvent[]): CallbackReading => ({ kind: 'events', events: all });

describe('a receipt', () => {
  test('that comes before its message is settled is parked, and handed on', async () => {
    const at = world();
    expect(await at.take(events(receipt({ messageId: at.message.id })))).toBe('handled');
    expect([...at.parked.values()]).toMatchObject([{ messageId: at.message.id, event: { status: 'delivered' } }]);
    expect(at.enqueued).toEqual([...at.parked.values()].map(({ fingerprint }) => fingerprint));
  });

  test('that comes twice, in one callback or in two, is one', async () => {
    const at = world();
    const same = receipt({ messageId: at.message.id });
    await at.take(events(same, same));
    await at.take(events(same));
    expect(at.parked.size).toBe(1);
  });

  test("without our id finds its message by the provider's", async () => {
    const at = world();
    await at.take(events(receipt()));
    expect([...at.parked.values()]).toMatchObject([{ messageId: at.message.id }]);
  });

  test.each([
    ['of no message', { providerMessageId: 'p-unknown' }],
    ['that names what is none of our ids', { messageId: `../${'x'.repeat(5_000)}`, providerMessageId: 'p-unknown' }],
    ['that names a message that never was', { messageId: newId('message'), providerMessageId: 'p-unknown' }],
  ])('%s is acknowledged, counted and kept nowhere', async (_, fields) => {
    const at = world();
    expect(await at.take(events(receipt(fields)))).toBe('handled');
    expect(at.parked.size).toBe(0);
    expect(at.effects).toEqual(['receipt unmatched 1']);
  });

  test('of a provider that refused the message says nothing of what another one carries', async () => {
    const at = world({ provider: 'twilio' });
    await at.take(events(receipt({ messageId: at.message.id, status: 'failed' })));
    expect(at.parked.size).toBe(0);
  });
});

describe('a reply', () => {
  test('is kept at the price of the table with a masked event, and charged once however often it comes', async () => {
    const at = world({ campaignId: 'promo' });
    await at.take(events(reply(), reply()));
    expect(await at.take(events(reply()))).toBe('handled');
    expect([...at.replies.values()]).toMatchObject([
      {
        inReplyTo: at.message.id,
        organizationId: at.message.organizationId,
        from: PHONE,
        body: 'Sim',
        coins: 200,
        receivedAt: NOW - 1_000,
      },
    ]);
    expect(at.events).toMatchObject([
      { type: 'sms.received', data: { inReplyTo: at.message.id, body: 'Sim', campaignId: 'promo' } },
    ]);
    expect(JSON.stringify(at.events)).not.toContain(PHONE);
    expect(at.effects).toEqual(expect.arrayContaining(['reply kept 1', 'reply repeated 1']));
  });

  test('that its provider dates in the future was received now', async () => {
    const at = world();
    await at.take(events(reply({ at: NOW + 600_000 })));
    expect([...at.replies.values()]).toMatchObject([{ receivedAt: NOW, createdAt: NOW }]);
  });

  test('that names ids that are none of ours finds its message by its sender', async () => {
    const at = world();
    await at.take(events(reply({ inReplyTo: { messageId: 'x'.repeat(5_000) } })));
    expect(at.replies.size).toBe(1);
  });

  test('from a phone that nobody wrote to is acknowledged and counted', async () => {
    const at = world();
    expect(await at.take(events(reply({ from: '+5511999990006' })))).toBe('handled');
    expect([at.replies.size, at.effects]).toEqual([0, ['reply unmatched 1']]);
  });

  test('with a broken or endless text is kept as text that can be stored', async () => {
    const at = world();
    await at.take(events(reply({ body: `a\ud800${'b'.repeat(100_000)}` })));
    const [kept] = at.replies.values();
    expect(kept?.body.isWellFormed()).toBe(true);
    expect(kept?.body.length).toBe(40_000);
  });
});

describe('a callback', () => {
  test.each([
    ['forged', 'FORBIDDEN'],
    ['malformed', 'BAD_REQUEST'],
    ['unverifiable', 'SERVICE_UNAVAILABLE'],
  ] as const)('that is %s is refused and changes nothing', async (kind, problem) => {
    const at = world();
    const outcome = await at.take({ kind, detail: 'x' });
    expect(isRefusal(outcome) && outcome.name).toBe(problem);
    expect([at.parked.size, at.replies.size, at.enqueued.length, at.effects]).toEqual([0, 0, 0, [kind]]);
  });

  test('of a provider that is not set up is 404', async () => {
    expect(await world().take({ kind: 'confirmed' }, 'aws_end_user_messaging')).toMatchObject({ name: 'NOT_FOUND' });
  });

  test('that fails midway is taken as a whole when it comes again, with one effect of each event', async () => {
    const at = world();
    at.state.keepFails = 1;
    const all = events(receipt({ messageId: at.message.id }), reply(), reply({ providerReplyId: 'r-2' }));
    await expect(at.take(all)).rejects.toThrow('the table is away');
    expect(await at.take(all)).toBe('handled');
    expect([at.parked.size, at.replies.size]).toEqual([1, 2]);
  });

  test('takes a handshake', async () => expect(await world().take({ kind: 'confirmed' })).toBe('handled'));

  test('has an address for each provider but the sandbox, and for nothing else', () => {
    const { params } = contract.request;
    for (const provider of ['twilio', 'infobip', 'aws_end_user_messaging', 'smpp_carrier'])
      for (const kind of ['receipts', 'replies']) expect(params.safeParse({ provider, kind }).success).toBe(true);
    for (const [provider, kind] of [
      ['sandbox_provider', 'receipts'],
      ['nobody', 'receipts'],
      ['twilio', 'others'],
      ['__proto__', 'receipts'],
    ])
      expect(params.safeParse({ provider, kind }).success).toBe(false);
  });
});

describe('the address that a provider signed', () => {
  const PUBLIC = 'https://messaging.example';
  const at = TWILIO;

  test('is put together from what the gateway hands on', () => {
    expect(callbackUrl(PUBLIC, at, null)).toBe(`${PUBLIC}/callbacks/twilio/receipts`);
    expect(callbackUrl(PUBLIC, at, {})).toBe(`${PUBLIC}/callbacks/twilio/receipts`);
    expect(callbackUrl(PUBLIC, at, { messageId: ['msg_4hJ9sKq2LmN8pRt5VwXz1'] })).toBe(
      `${PUBLIC}/callbacks/twilio/receipts?messageId=msg_4hJ9sKq2LmN8pRt5VwXz1`,
    );
    expect(callbackUrl(PUBLIC, at, { a: ['1', '2 &'], b: [''] })).toBe(
      `${PUBLIC}/callbacks/twilio/receipts?a=1&a=2%20%26&b=`,
    );
  });

  test("fits Twilio's signature of the status callback that a send asks for, and no altered one", async () => {
    const stage = world({ provider: 'twilio' });
    const authToken = 'a-token';
    const settings = twilio.settings.parse({ accountSid: `AC${'0'.repeat(32)}`, authToken, from: '+15005550006' });
    const sent: string[] = [];
    const io = {
      now: () => NOW,
      fetch: (async (_url: unknown, init: RequestInit) =>
        void sent.push(String(init.body)) as never) as unknown as typeof fetch,
    };
    const adapter = twilio.create(settings, io);
    stage.state.provider = adapter;
    await adapter.send({
      messageId: stage.message.id,
      to: PHONE,
      content: { text: 'Oi', encoding: 'GSM-7', length: 2, segments: 1 },
      route: 'premium',
      callbackUrl: `${PUBLIC}/callbacks/twilio/receipts`,
    });
    const signed = new URLSearchParams(sent[0]).get('StatusCallback') ?? '';
    const body = new URLSearchParams({
      MessageSid: `SM${'1'.repeat(32)}`,
      MessageStatus: 'delivered',
      To: PHONE,
    }).toString();
    const headers = { 'x-twilio-signature': twilioSignature(authToken, signed, new URLSearchParams(body)) };
    const decoded = (messageId: string) => callbackUrl(PUBLIC, at, { messageId: [messageId] });

    expect(await handleCallback(stage.ports, TWILIO, { url: decoded(newId('message')), headers, body })).toMatchObject({
      name: 'FORBIDDEN',
    });
    expect(stage.parked.size).toBe(0);
    expect(await handleCallback(stage.ports, TWILIO, { url: decoded(stage.message.id), headers, body })).toBe(
      'handled',
    );
    expect([...stage.parked.values()]).toMatchObject([{ messageId: stage.message.id, event: { status: 'delivered' } }]);
  });
});
