import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import exampleInbound from '../../../events/providers/whatsapp-cloud-api.inbound-callback.json' with { type: 'json' };
import exampleManagement from '../../../events/providers/whatsapp-cloud-api.management-callback.json' with {
  type: 'json',
};
import examplePlatform from '../../../events/providers/whatsapp-cloud-api.platform-callback.json' with { type: 'json' };
import examplePreferences from '../../../events/providers/whatsapp-cloud-api.preferences-callback.json' with {
  type: 'json',
};
import exampleStatuses from '../../../events/providers/whatsapp-cloud-api.status-callback.json' with { type: 'json' };
import exampleRequest from '../../../events/providers/whatsapp-cloud-api.template-request.json' with { type: 'json' };
import { parseId } from '../../../shared/domain/core/ids.ts';
import type { CallbackReading, InboundEvent } from '../../../shared/domain/message/provider-port.ts';
import { phoneOfWaId } from '../../../shared/providers/whatsapp/wa-id.ts';
import { type io, NOW, open } from '../../support/providers/kit.ts';
import { SECRETS, signedByMeta } from '../../support/providers/meta-api.ts';
import { whatsappDispatch } from '../../support/providers/whatsapp-kit.ts';
import { startWhatsappStandIn } from '../../support/providers/whatsapp-stand-in.ts';
import { use } from '../../support/use.ts';
import { events, lastBody } from '../shared.ts';

const NAME = 'whatsapp_cloud_api';
const OTHER_NUMBER = '206540352242922';
const OTHER_TOKEN = 'a-token-of-its-own';
const standIn = await use(startWhatsappStandIn(() => NOW, { [OTHER_NUMBER]: OTHER_TOKEN }));

const provider = (over: object = {}, more: Partial<typeof io> = {}) =>
  open('whatsapp', NAME, { ...standIn.settings, timeoutMs: 10_000, ...over }, more);
const read = (body: unknown): Promise<CallbackReading> =>
  provider().readCallback(signedByMeta(standIn.endpoint, JSON.stringify(body)));
const eventsOf = (reading: CallbackReading) => (reading.kind === 'events' ? reading.events : []);

it('sends a template as documented', async () => {
  await provider().send(
    whatsappDispatch({
      messageId: parseId('message', 'msg_0123456789abcdefghijk'),
      to: '+16505551234',
      content: {
        payload: {
          template: { name: 'order_confirmation', language: 'en-US' },
          templateVars: { 1: 'Pablo', 2: 566701 },
        },
      },
    }),
  );
  expect(lastBody(standIn)).toEqual(exampleRequest);
});

it('fills a template by its components alone where it has any', async () => {
  const components = [{ type: 'header', parameters: [{ type: 'text', text: 'Ana' }] }];
  const template = { name: 'pedido', language: 'pt-BR', components };
  await provider().send(whatsappDispatch({ content: { payload: { template, templateVars: { 1: 'Ana' } } } }));
  expect(lastBody(standIn).template).toEqual({ name: 'pedido', language: { code: 'pt_BR' }, components });
});

describe('the number that a message is sent from', () => {
  const named = { content: { payload: { text: 'Oi' }, from: 'num_1' } };
  const numberOf: (typeof io)['numberOf'] = async (id) =>
    id === 'num_1' ? { phoneNumberId: OTHER_NUMBER, accessToken: OTHER_TOKEN } : undefined;
  const refusedUnsent = async (sending: Promise<unknown>, cause: string) => {
    const before = standIn.requests.length;
    expect(await sending).toMatchObject({ kind: 'refused', cause });
    expect(standIn.requests.length).toBe(before);
  };

  it('is the one that the message names, with its own token', async () => {
    expect((await provider({}, { numberOf }).send(whatsappDispatch(named))).kind).toBe('accepted');
    expect(standIn.messages.at(-1)?.from).toBe(OTHER_NUMBER);
  });

  it('refuses the message where there is none, without a request', async () => {
    const { phoneNumberId: _, ...settings } = standIn.settings;
    await refusedUnsent(open('whatsapp', NAME, settings).send(whatsappDispatch()), 'sender');
  });

  it('is not replaced by another when it is disconnected or its token cannot be read', async () => {
    const gone = provider({}, { numberOf: async () => undefined });
    await refusedUnsent(gone.send(whatsappDispatch(named)), 'sender');
    const broken = provider({}, { numberOf: () => Promise.reject(new Error('the table is away')) });
    await refusedUnsent(broken.send(whatsappDispatch(named)), 'unavailable');
  });
});

it.each([
  ['400:131047', 'window_closed'],
  ['400:132012', 'invalid_template_variable'],
  ['400:131026', 'undeliverable'],
])('refuses with code %s for the reason %s', async (code, reason) => {
  standIn.script({ refuse: code });
  expect(await provider().send(whatsappDispatch())).toMatchObject({ kind: 'refused', reason });
});

it.each(['500:131000', '503:131016', '400:1', '503:2', '500:999999'])(
  'calls the error %s unknown, since the message may have been sent',
  async (code) => {
    standIn.script({ refuse: code });
    expect(await provider().send(whatsappDispatch())).toMatchObject({ kind: 'unknown' });
  },
);

it('keeps the token out of URLs and answers', async () => {
  standIn.script({ refuse: '401:190' });
  const answer = await provider().send(whatsappDispatch());
  expect(standIn.requests.at(-1)?.path).not.toContain(String(standIn.settings.accessToken));
  expect(JSON.stringify(answer)).not.toContain(String(standIn.settings.accessToken));
});

it('reads statuses as documented', async () => {
  expect(await read(exampleStatuses)).toMatchObject(
    events(
      { kind: 'receipt', messageId: 'msg_0123456789abcdefghijk', status: 'sent', at: 1_750_030_073_000 },
      {
        kind: 'receipt',
        status: 'failed',
        reason: 'undeliverable',
        receipt: { to: '+16505551234', statusDescription: '131026: the recipient cannot receive it' },
      },
    ),
  );
});

it.each(['played', 'deleted', 'warning'])('acknowledges the status %s without an event', async (status) => {
  const changed = JSON.parse(JSON.stringify(exampleStatuses).replaceAll('"sent"', `"${status}"`));
  expect(eventsOf(await read(changed))).toHaveLength(1);
});

it('reads inbound messages of every documented type', async () => {
  const found = eventsOf(await read(exampleInbound)) as InboundEvent[];
  const [text] = found;
  expect(text).toEqual({
    kind: 'inbound',
    channel: 'whatsapp',
    providerMessageId: 'wamid.IN1',
    from: '+5511987654321',
    to: '106540352242922',
    at: 1_749_416_383_000,
    type: 'text',
    text: 'Does it come in another color?',
    payload: {},
    profileName: 'Sheena Nelson',
  });
  const summaries = found.map(({ type, text: content, payload, inReplyTo }) => {
    const { media, interactive } = payload as { media?: { kind: string }; interactive?: { type: string } };
    return [type, media?.kind ?? interactive?.type, content, inReplyTo === undefined ? 'new' : 'answer'];
  });
  expect(summaries).toEqual([
    ['text', undefined, 'Does it come in another color?', 'new'],
    ['text', undefined, 'I saw your ad', 'new'],
    ['media', 'image', 'Taj Mahal', 'new'],
    ['media', 'audio', undefined, 'new'],
    ['media', 'video', undefined, 'new'],
    ['media', 'document', 'Here is the file', 'new'],
    ['media', 'sticker', undefined, 'new'],
    ['interactive', 'button_reply', 'Cancel', 'answer'],
    ['interactive', 'list_reply', 'Priority Mail Express', 'answer'],
    ['interactive', 'nfm_reply', undefined, 'answer'],
    ['interactive', 'button', 'Unsubscribe', 'answer'],
    ['interactive', 'location', undefined, 'new'],
    ['interactive', 'contacts', undefined, 'new'],
    ['interactive', 'reaction', undefined, 'answer'],
    ['interactive', 'order', undefined, 'new'],
    ['interactive', 'unsupported', undefined, 'new'],
  ]);
  expect(found[1]?.referral).toMatchObject({ source_type: 'ad', source_id: '120226305854810726' });
  expect(found[3]?.payload).toMatchObject({
    media: { id: '1908647269898587', voice: true, mimeType: expect.any(String) },
  });
  expect(found[9]?.payload).toMatchObject({ interactive: { nfm_reply: { name: 'flow' } } });
});

it('reads Meta’s events of templates, numbers and accounts', async () => {
  const base = { kind: 'platform', wabaId: '102290129340398', at: 1_751_247_548_000 };
  const account = { ...base, about: 'account' };
  const quality = { ...base, about: 'number_quality', displayPhone: '15550783881' };
  const template = { ...base, about: 'template' };
  const order = { platformTemplateId: '1689556908129832', name: 'order_confirmation', language: 'en-US' };
  const cart = { platformTemplateId: '1689556908129835', name: 'abandoned_cart', language: 'en' };
  const reason = 'INVALID_FORMAT: Your template has parameters placed next to each other.';
  const restrictions = 'RESTRICTED_BIZ_INITIATED_MESSAGING, RESTRICTED_ADD_PHONE_NUMBER_ACTION';
  const removal = { event: 'PARTNER_REMOVED', detail: 'PRIMARY_INACTIVITY' };
  expect(await read(examplePlatform)).toEqual(
    events(
      { ...template, ...order, event: 'APPROVED', category: 'UTILITY' },
      { ...template, ...cart, event: 'REJECTED', reason, category: 'MARKETING' },
      { ...quality, event: 'THROUGHPUT_UPGRADE', currentLimit: 'TIER_UNLIMITED' },
      { ...quality, event: 'UPGRADE', currentLimit: 'TIER_2K' },
      { ...account, event: 'DISABLED_UPDATE', detail: 'REINSTATE' },
      { ...account, event: 'ACCOUNT_RESTRICTION', detail: restrictions },
      { ...account, event: 'ACCOUNT_VIOLATION', detail: 'ADULT' },
      { ...base, about: 'account_limit', limit: 'TIER_2K' },
      { ...account, wabaId: '980198427658004', at: 1_748_477_359_000, ...removal },
    ),
  );
});

it('reads the current category of a template, not an announced one, and limits, names and flow statuses', async () => {
  const wabaId = '102290129340398';
  const template = { platformTemplateId: '278077987957091', name: 'welcome_template', language: 'en-US' };
  const category = { kind: 'platform', about: 'template_category', wabaId, ...template };
  const limit = { kind: 'platform', about: 'account_limit', wabaId, at: 1_746_169_200_000 };
  expect(await read(exampleManagement)).toEqual({
    kind: 'events',
    ignored: ['flows', 'account_alerts'],
    events: [
      { ...category, at: 1_746_082_800_000, category: 'UTILITY' },
      { ...category, at: 1_746_169_200_000, category: 'MARKETING' },
      { ...limit, limit: 'TIER_2K' },
      { ...limit, limit: 'TIER_UNLIMITED' },
      { ...limit, about: 'number_name', displayPhone: '15550783881', decision: 'APPROVED', name: 'Lucky Shrub' },
      { ...limit, about: 'flow', platformFlowId: '6627390910605886', status: 'THROTTLED' },
    ],
  });
});

it('reads what it can of a body, and counts the rest', async () => {
  const [entry] = exampleInbound.entry;
  const [change] = entry?.changes ?? [];
  const [first, second] = change?.value.messages ?? [];
  const value = { ...change?.value, messages: [first, { ...second, timestamp: 'yesterday' }, 'no message', null] };
  const changes = [
    { field: 'messages', value },
    { field: 'account_update', value: {} },
  ];
  const reading = await read({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }, 7] });
  expect(reading).toMatchObject({ kind: 'events', unreadable: 5 });
  expect(eventsOf(reading)).toHaveLength(1);
});

it('accepts only a signature by the app over the exact bytes', async () => {
  const body = JSON.stringify(exampleStatuses);
  const sign = (secret: string, of = body) => `sha256=${createHmac('sha256', secret).update(of).digest('hex')}`;
  const read = (signature: string) =>
    provider().readCallback({ url: standIn.endpoint, headers: { 'x-hub-signature-256': signature }, body });
  expect((await read(sign(SECRETS.appSecret))).kind).toBe('events');
  for (const signature of [
    sign('another'),
    sign(SECRETS.appSecret, `${body} `),
    sign(SECRETS.appSecret).toUpperCase(),
    sign(SECRETS.appSecret).slice(7),
    `sha1=${createHmac('sha1', SECRETS.appSecret).update(body).digest('hex')}`,
    'sha256=',
  ])
    expect((await read(signature)).kind).toBe('forged');
});

it('reads a marketing preference as documented', async () => {
  const preference = { kind: 'platform', about: 'preference', phoneNumberId: '106540352242922', from: '+16505551234' };
  expect(await read(examplePreferences)).toEqual(events({ ...preference, value: 'resume', at: 1_731_705_721_000 }));
});

it('names the fields that it ignores, each once, without their content', async () => {
  const change = (field: string) => ({ field, value: { event: 'PIN_CHANGED', requester: '+5511999990000' } });
  const changes = [change('security'), change('security'), change('+55 11 99999-0000')];
  const reading = await read({ object: 'whatsapp_business_account', entry: [{ id: '1', time: 1, changes }] });
  expect(reading).toEqual({ kind: 'events', events: [], ignored: ['security', 'unnamed'] });
});

it('answers a challenge with the right verify token alone', () => {
  const challenge = (over: object = {}) =>
    provider().answerChallenge?.({
      'hub.mode': 'subscribe',
      'hub.verify_token': SECRETS.verifyToken,
      'hub.challenge': '1158201444',
      ...over,
    });
  expect(challenge()).toBe('1158201444');
  for (const over of [
    { 'hub.verify_token': 'another' },
    { 'hub.verify_token': '' },
    { 'hub.mode': 'unsubscribe' },
    { 'hub.challenge': '<script>' },
    { 'hub.challenge': '' },
  ])
    expect(challenge(over)).toBeUndefined();
});

it.each([
  ['551187654321', '+5511987654321'],
  ['5511987654321', '+5511987654321'],
  ['551133334444', '+551133334444'],
  ['5215512345678', '+525512345678'],
  ['5491123456789', '+5491123456789'],
  ['16505551234', '+16505551234'],
])('reads the WhatsApp id %s as the phone %s', (id, phone) => expect(phoneOfWaId(id)).toBe(phone));
