import { describe, expect, test } from 'vitest';
import { receiveCallback as contract } from '../../shared/contracts/callbacks.ts';
import type { SmsProviderName } from '../../shared/domain/channels/sms/content.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import type { CallbackPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { callbackUrl, handleCallback } from '../../shared/domain/inbound/provider-callback.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { CallbackReader, CallbackReading, ProviderEvent } from '../../shared/domain/message/provider-port.ts';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { type PendingReceipt, receiptFingerprint } from '../../shared/domain/sending/apply-receipt.ts';
import { twilio, twilioSignature } from '../../shared/providers/sms/twilio.ts';
import { answeredBy } from '../support/providers/io.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const TWILIO = { provider: 'twilio', kind: 'receipts' } as const;
const PHONE = '+5511999990005';
const REQUEST = { url: 'https://messaging.example/callbacks/infobip/receipts', headers: {}, body: '' };

/** The ports of one message, in memory. `reading` is what the adapter reads from any callback. */
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
  const pending = new Map<string, PendingReceipt>();
  const replies = new Map<string, ReplyRecord>();
  const state: { reading: CallbackReading; reader: CallbackReader | undefined; storeFails: number } = {
    reading: { kind: 'confirmed' },
    reader: undefined,
    storeFails: 0,
  };
  const correlations = new Map([[`infobip p-1`, message.id]]);
  const effects: string[] = [];
  const events: DomainEvent[] = [];
  const enqueued: string[] = [];
  const scripted: CallbackReader = { readCallback: async () => state.reading };
  const ports: CallbackPorts = {
    clock: () => NOW,
    prices: async () => DEFAULT_PRICES,
    messageStore: { read: async (id) => (id === message.id ? message : undefined) } as CallbackPorts['messageStore'],
    globalRecipientHash: async (phone) => `hash of ${phone}`,
    recipientHashOf: async (_, kind, value) => `${kind} hash of ${value}`,
    phoneOfUser: async () => undefined,
    sender: async () => ({ own: { optedOut: false } }),
    links: async () => [],
    readerOf: async (_, name) => state.reader ?? (name === 'infobip' ? scripted : undefined),
    correlate: async (provider, reference) => correlations.get(`${provider} ${reference}`),
    async addPendingReceipt({ id: messageId }, event) {
      const receipt = { messageId, fingerprint: receiptFingerprint(event), event };
      pending.set(`${messageId} ${receipt.fingerprint}`, receipt);
      return receipt;
    },
    enqueueReceipt: (_, { fingerprint }) => void enqueued.push(fingerprint),
    keepEarlyReceipt: async () => 'kept',
    interacted: async () => undefined,
    raise: async (event) => {
      if (events.some(({ id }) => id === event.id)) return false;
      events.push(event);
      return true;
    },
    async store(reply, event) {
      if (state.storeFails-- > 0) throw new Error('the table is away');
      if (replies.has(reply.id)) return 'repeated';
      replies.set(reply.id, reply);
      events.push(event);
      return 'kept';
    },
    lastSent: async (provider, reference) =>
      `${provider} ${reference}` === `infobip sms-to:hash of ${PHONE}`
        ? [{ organizationId: message.organizationId, messageId: message.id, at: NOW - 60_000 }]
        : [],
    ownersOf: async () => [],
    optOut: async () => undefined,
    inbound: async () => 'kept',
    replyPart: async () => 'pending',
    applyMetaEvent: async () => 'unmatched',
    observe: {
      handled: (_, kind, effect, count) => void effects.push(`${kind} ${effect} ${count}`),
      refused: (_, cause) => void effects.push(cause),
      ignored: (_, fields) => void effects.push(`ignored ${fields.join()}`),
    },
  };
  const receive = (reading: CallbackReading, name: SmsProviderName = 'infobip') => {
    state.reading = reading;
    return handleCallback(ports, { provider: name, kind: 'receipts' }, REQUEST);
  };
  return { ports, state, message, pending, replies, effects, events, enqueued, receive };
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
  test('is stored as pending and queued when it arrives before its message is settled', async () => {
    const at = world();
    expect(await at.receive(events(receipt({ messageId: at.message.id })))).toBe('handled');
    expect([...at.pending.values()]).toMatchObject([{ messageId: at.message.id, event: { status: 'delivered' } }]);
    expect(at.enqueued).toEqual([...at.pending.values()].map(({ fingerprint }) => fingerprint));
  });

  test('that is repeated, in one callback or in two, is stored once', async () => {
    const at = world();
    const same = receipt({ messageId: at.message.id });
    await at.receive(events(same, same));
    await at.receive(events(same));
    expect(at.pending.size).toBe(1);
  });

  test("without our id is matched by the provider's id", async () => {
    const at = world();
    await at.receive(events(receipt()));
    expect([...at.pending.values()]).toMatchObject([{ messageId: at.message.id }]);
  });

  test.each([
    ['of no message', { providerMessageId: 'p-unknown' }],
    ['that names an invalid id', { messageId: `../${'x'.repeat(5_000)}`, providerMessageId: 'p-unknown' }],
    ['that names an unknown message', { messageId: newId('message'), providerMessageId: 'p-unknown' }],
  ])('%s is acknowledged, counted and not stored', async (_, fields) => {
    const at = world();
    expect(await at.receive(events(receipt(fields)))).toBe('handled');
    expect(at.pending.size).toBe(0);
    expect(at.effects).toEqual(['receipt unmatched 1']);
  });

  test('of another provider than the one that has the message is ignored', async () => {
    const at = world({ provider: 'twilio' });
    await at.receive(events(receipt({ messageId: at.message.id, status: 'failed' })));
    expect(at.pending.size).toBe(0);
  });
});

describe('a reply', () => {
  test('is stored with its price and a masked event, and charged once however often it is repeated', async () => {
    const at = world({ campaignId: 'promo' });
    await at.receive(events(reply(), reply()));
    expect(await at.receive(events(reply()))).toBe('handled');
    const { id: inReplyTo, organizationId } = at.message;
    expect([...at.replies.values()]).toMatchObject([
      { inReplyTo, organizationId, from: PHONE, body: 'Sim', coins: 200, receivedAt: NOW - 1_000 },
    ]);
    expect(at.events).toMatchObject([{ type: 'sms.received', data: { inReplyTo, body: 'Sim', campaignId: 'promo' } }]);
    expect(JSON.stringify(at.events)).not.toContain(PHONE);
    expect(at.effects).toEqual(expect.arrayContaining(['reply kept 1', 'reply repeated 1']));
  });

  test('with a time in the future is received now', async () => {
    const at = world();
    await at.receive(events(reply({ at: NOW + 600_000 })));
    expect([...at.replies.values()]).toMatchObject([{ receivedAt: NOW, createdAt: NOW }]);
  });

  test('that names an invalid id is matched by its sender', async () => {
    const at = world();
    await at.receive(events(reply({ inReplyTo: { messageId: 'x'.repeat(5_000) } })));
    expect(at.replies.size).toBe(1);
  });

  test('from a phone without messages is acknowledged and counted', async () => {
    const at = world();
    expect(await at.receive(events(reply({ from: '+5511999990006' })))).toBe('handled');
    expect([at.replies.size, at.effects]).toEqual([0, ['reply unmatched 1']]);
  });

  test('with a malformed or very long text is stored as valid text of limited length', async () => {
    const at = world();
    await at.receive(events(reply({ body: `a\ud800${'b'.repeat(100_000)}` })));
    const [stored] = at.replies.values();
    expect(stored?.body.isWellFormed()).toBe(true);
    expect(stored?.body.length).toBe(40_000);
  });
});

describe('a callback', () => {
  test.each([
    ['forged', 'FORBIDDEN'],
    ['malformed', 'BAD_REQUEST'],
    ['unverifiable', 'SERVICE_UNAVAILABLE'],
  ] as const)('that is %s is refused and changes nothing', async (kind, problem) => {
    const at = world();
    const outcome = await at.receive({ kind, detail: 'x' });
    expect(isRefusal(outcome) && outcome.name).toBe(problem);
    expect([at.pending.size, at.replies.size, at.enqueued.length, at.effects]).toEqual([0, 0, 0, [kind]]);
  });

  test('of a provider that is not set up is 404', async () => {
    expect(await world().receive({ kind: 'confirmed' }, 'aws_end_user_messaging')).toMatchObject({ name: 'NOT_FOUND' });
  });

  test('that fails midway is applied as a whole when it is repeated, each event once', async () => {
    const at = world();
    at.state.storeFails = 1;
    const all = events(receipt({ messageId: at.message.id }), reply(), reply({ providerReplyId: 'r-2' }));
    await expect(at.receive(all)).rejects.toThrow('the table is away');
    expect(await at.receive(all)).toBe('handled');
    expect([at.pending.size, at.replies.size]).toEqual([1, 2]);
  });

  test('that is a handshake is handled', async () =>
    expect(await world().receive({ kind: 'confirmed' })).toBe('handled'));

  test('has a path for each provider but the sandbox, and no other path', () => {
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

describe('the URL that a provider signed', () => {
  const PUBLIC = 'https://messaging.example';
  const PATH = `${PUBLIC}/callbacks/twilio/receipts`;
  const urlOf = (query: Parameters<typeof callbackUrl>[2]) => callbackUrl(PUBLIC, TWILIO, query);

  test('is reconstructed from the parts that the gateway passes on', () => {
    expect(urlOf(null)).toBe(PATH);
    expect(urlOf({})).toBe(PATH);
    expect(urlOf({ messageId: ['msg_4hJ9sKq2LmN8pRt5VwXz1'] })).toBe(`${PATH}?messageId=msg_4hJ9sKq2LmN8pRt5VwXz1`);
    expect(urlOf({ a: ['1', '2 &'], b: [''] })).toBe(`${PATH}?a=1&a=2%20%26&b=`);
  });

  test("matches Twilio's signature of the status callback of a send, and no altered URL does", async () => {
    const stage = world({ provider: 'twilio' });
    const authToken = 'a-token';
    const settings = twilio.settings.parse({ accountSid: `AC${'0'.repeat(32)}`, authToken, from: '+15005550006' });
    const sent: string[] = [];
    const io = answeredBy(
      (_, { body }) => {
        sent.push(String(body));
        return new Response();
      },
      () => NOW,
    );
    stage.state.reader = twilio.callbacks.open(settings, io);
    await twilio.create(settings, io).send({
      messageId: stage.message.id,
      to: PHONE,
      content: { text: 'Oi', encoding: 'GSM-7', length: 2, segments: 1 },
      route: 'premium',
      callbackUrl: PATH,
    });
    const signed = new URLSearchParams(sent[0]).get('StatusCallback') ?? '';
    const form = new URLSearchParams({ MessageSid: `SM${'1'.repeat(32)}`, MessageStatus: 'delivered', To: PHONE });
    const headers = { 'x-twilio-signature': twilioSignature(authToken, signed, form) };
    const callback = (messageId: string) => {
      const url = callbackUrl(PUBLIC, TWILIO, { messageId: [messageId] });
      return handleCallback(stage.ports, TWILIO, { url, headers, body: form.toString() });
    };

    expect(await callback(newId('message'))).toMatchObject({ name: 'FORBIDDEN' });
    expect(stage.pending.size).toBe(0);
    expect(await callback(stage.message.id)).toBe('handled');
    expect([...stage.pending.values()]).toMatchObject([
      { messageId: stage.message.id, event: { status: 'delivered' } },
    ]);
  });
});
