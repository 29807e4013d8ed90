import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { putRoutes } from '../../shared/storage/access/providers.ts';
import { putPrices } from '../../shared/storage/wallet/prices.ts';
import { type Answer, startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { deliver, THROTTLED_SECONDS } from '../support/providers/stand-in.ts';
import { startTwilioStandIn } from '../support/providers/twilio-stand-in.ts';
import { use } from '../support/use.ts';
import { acceptedBy, becomes, setUpProvider, smsPrices, walletOf } from './support.ts';

const OPENING = 1_000_000;
const PRICES = smsPrices(
  [
    [3, 100],
    [null, 70],
  ],
  90,
);
const TIMEOUT_MS = 5_000;

const messaging = await use(
  startMessaging({ beforeReady: ({ tables }) => putPrices(tables.live, '2020-01-01T00:00:00.000Z', PRICES) }),
);
const provider = await use(startInfobipStandIn());
const twilio = await use(startTwilioStandIn());
const settings = { ...provider.settings, timeoutMs: TIMEOUT_MS, logsLagMs: 1 };
await setUpProvider(messaging, 'sms', 'infobip', settings);
await setUpProvider(messaging, 'sms', 'twilio', twilio.settings);
for (const route of ['premium', 'otp'])
  await putRoutes(messaging.tables.live, { channel: 'sms', route, providers: ['infobip'] });

const tenantOf = () => messaging.tenant({ live: OPENING, takesEvents: true });
const read = async ({ live }: Tenant, id: string) => (await live.get(`/v2/sms/messages/${id}`)).body;
const accepted = (answer: Answer) => acceptedBy(provider, answer);
const moves = ({ live }: Tenant, id: string, fields: object) => becomes(live, `/v2/sms/messages/${id}`, fields);
const eventsOf = async (owner: Tenant, id: string) =>
  (await messaging.eventsOf('live', owner.id)).filter(({ data }) => data.id === id || data.inReplyTo === id);
/** A refused send is not charged, leaves a failed message that can be read, and frees its key. */
const expectNothingCharged = async (owner: Tenant, refused: Answer, key: string, fields = {}) => {
  expect(await read(owner, refused.body.meta.messageId)).toMatchObject({
    status: 'failed',
    env: 'live',
    provider: 'infobip',
    failedAt: expect.any(String),
    ...fields,
  });
  expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
  const again = await owner.live.send({ route: 'otp' }, key);
  expect(again).toMatchObject({ status: 201, body: { replayed: false, billing: { coins: 90 } } });
  await checkMoney(messaging.tables.live, owner.id);
};

describe('a live send', () => {
  test('is sent by the configured provider with the counted text, and charged to the live wallet', async () => {
    const owner = await tenantOf();
    const sent = await owner.live.send({ body: 'Olá, São João', to: '+5511987654321', senderId: 'LOJA' });
    expect(sent).toMatchObject({
      status: 201,
      body: {
        env: 'live',
        status: 'sent',
        provider: 'infobip',
        to: '+5511987654321',
        length: 13,
        billing: { coins: 100 },
      },
    });
    expect(await accepted(sent)).toMatchObject({
      to: '+5511987654321',
      from: 'LOJA',
      text: 'Ola, Sao Joao',
      callbackUrl: `${messaging.url}/callbacks/infobip/receipts`,
    });
    expect(await walletOf(owner.live)).toMatchObject({ env: 'live', balanceCoins: OPENING - 100, heldCoins: 0 });
    expect((await owner.test.get('/v2/wallet')).body.balanceCoins).toBe(10_000_000);
    expectProblem(await owner.test.get(`/v2/sms/messages/${sent.body.id}`), 404);
  });

  test('counts towards the month’s volume: the price can change within a message', async () => {
    const owner = await tenantOf();
    const coins = [];
    for (let turn = 0; turn < 3; turn++)
      coins.push((await owner.live.send({ body: 'a'.repeat(161) })).body.billing.coins);
    expect(coins).toEqual([200, 170, 140]);
    const [band] = (await walletOf(owner.live)).bands;
    expect(band).toMatchObject({ segments: 6, band: { index: 1, from: 4, upTo: null, coins: 70 } });
    await checkMoney(messaging.tables.live, owner.id);
  });

  test('is replayed by its key without calling the provider again', async () => {
    const owner = await tenantOf();
    const key = randomUUID();
    const first = await owner.live.send({}, key);
    const before = provider.requests.length;
    expect((await owner.live.send({}, key)).body).toEqual({ ...first.body, replayed: true });
    expect(provider.requests).toHaveLength(before);
  });

  test('that the provider throttles is 429 with its Retry-After: failed, readable, not charged, and its key free', async () => {
    const [owner, key] = [await tenantOf(), randomUUID()];
    provider.script('throttle');
    const refused = await owner.live.send({}, key);
    expectProblem(refused, 429, { meta: { messageId: expect.any(String) } });
    expect(refused.headers.get('retry-after')).toBe(String(THROTTLED_SECONDS));
    await expectNothingCharged(owner, refused, key);
  });

  test.each([
    ['6:REJECTED_NETWORK', 502, undefined],
    ['12:REJECTED_NOT_ENOUGH_CREDITS', 503, undefined],
    ['52:REJECTED_DESTINATION', 422, 'invalid_number'],
    ['14:REJECTED_DESTINATION_BLOCKLISTED', 422, 'blacklisted'],
    ['401', 502, undefined],
  ])('that the provider refuses (%s) is %i, not charged, with its reason', async (refusal, status, reason) => {
    const [owner, key] = [await tenantOf(), randomUUID()];
    provider.script({ refuse: refusal });
    const refused = await owner.live.send({ to: '+5511987650001' }, key);
    expectProblem(refused, status, { sent: '5511987650001' });
    expect(refused.body.meta.motivo).toBe(reason);
    expect(refused.text).not.toContain('segredo');
    await expectNothingCharged(owner, refused, key, reason ? { reason } : {});
  });
});

describe('a route of several providers', () => {
  const routed = async (providers: readonly string[]) => {
    const owner = await tenantOf();
    await putRoutes(messaging.tables.live, { organizationId: owner.id, channel: 'sms', route: 'premium', providers });
    return owner;
  };

  test('is taken from the organization, in its order', async () => {
    const owner = await routed(['twilio', 'infobip']);
    const sent = await owner.live.send({ to: '+5511987654321' });
    expect(sent).toMatchObject({ status: 201, body: { provider: 'twilio' } });
    const message = twilio.messages.find(({ to }) => to === '+5511987654321');
    if (!message) throw new Error('The provider never saw the message.');
    expect((await deliver(twilio.receipt(message, 'delivered'))).status).toBe(200);
    await moves(owner, sent.body.id, { status: 'delivered', provider: 'twilio' });
  });

  test('fails over when the first provider throttles, and charges once', async () => {
    const owner = await routed(['infobip', 'twilio']);
    provider.script('throttle');
    const sent = await owner.live.send();
    expect(sent).toMatchObject({ status: 201, body: { provider: 'twilio', billing: { coins: 100 } } });
    expect((await read(owner, sent.body.id)).provider).toBe('twilio');
    expect(await checkMoney(messaging.tables.live, owner.id)).toMatchObject({ balance: OPENING - 100 });
  });
});

describe('a live send with an uncertain answer', () => {
  test('is sending until it times out: its repeat is 409 EM_ANDAMENTO; then 502, and settled by the status query', async () => {
    const [owner, key] = [await tenantOf(), randomUUID()];
    const before = provider.messages.length;
    provider.script('accept_and_hang');
    const running = owner.live.send({}, key);
    await vi.waitFor(() => expect(provider.messages.length).toBeGreaterThan(before), {
      timeout: TIMEOUT_MS,
      interval: 10,
    });
    const [repeat, other] = await Promise.all([owner.live.send({}, key), owner.live.send({ body: 'Outro' }, key)]);
    expectProblem(repeat, 409, { meta: { code: 'EM_ANDAMENTO', messageId: expect.any(String) } });
    expect(Number(repeat.headers.get('retry-after'))).toBeGreaterThan(0);
    expectProblem(other, 409);
    expect(other.body.meta).toBeUndefined();
    const lost = await running;
    expectProblem(lost, 502, { meta: { messageId: repeat.body.meta.messageId } });
    expect((await owner.live.get('/v2/sms/messages')).body).toMatchObject({
      total: 1,
      items: [{ id: repeat.body.meta.messageId }],
    });
    await moves(owner, lost.body.meta.messageId, { status: 'sent' });
    expect((await owner.live.send({}, key)).body).toMatchObject({ replayed: true, id: lost.body.meta.messageId });
    expect(provider.messages.filter(({ messageId }) => messageId === lost.body.meta.messageId)).toHaveLength(1);
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING - 100, heldCoins: 0 });
  });

  test('that never reached the provider is refunded: failed as abandoned, with its event and a free key', async () => {
    const [owner, key] = [await tenantOf(), randomUUID()];
    provider.script('reset');
    const lost = await owner.live.send({ metadata: { a: 1 } }, key);
    expectProblem(lost, 502);
    const { messageId } = lost.body.meta;
    await moves(owner, messageId, { status: 'failed', reason: 'abandoned' });
    const events = await eventsOf(owner, messageId);
    expect(events).toMatchObject([
      { type: 'sms.failed', env: 'live', data: { reason: 'abandoned', metadata: { a: 1 } } },
    ]);
    expect((await owner.live.send({ metadata: { a: 1 } }, key)).body.replayed).toBe(false);
    expect(await checkMoney(messaging.tables.live, owner.id)).toMatchObject({ balance: OPENING - 100 });
  });
});

describe('a provider’s receipt', () => {
  test.each([
    ['delivered', 'delivered', undefined],
    ['carrier_rejected', 'undelivered', 'carrier_rejected'],
    ['invalid_number', 'undelivered', 'invalid_number'],
    ['blacklisted', 'failed', 'blacklisted'],
    ['expired', 'failed', 'expired'],
  ] as const)(
    'of %s makes the SMS %s (%s), raises its event once when repeated, and refunds nothing',
    async (outcome, status, reason) => {
      const owner = await tenantOf();
      const sent = await owner.live.send({ metadata: { orderId: 'A-1' }, to: '+5511987654321' });
      const receipt = provider.receipt(await accepted(sent), outcome);
      for (let turn = 0; turn < 3; turn++) expect((await deliver(receipt)).status).toBe(200);
      await moves(owner, sent.body.id, {
        status,
        ...(reason ? { reason } : {}),
        providerReceipt: { to: '+5511987654321', type: 'api_message' },
      });
      const events = await eventsOf(owner, sent.body.id);
      expect(events).toMatchObject([
        { type: `sms.${status}`, env: 'live', data: { to: '+55119****4321', metadata: { orderId: 'A-1' }, status } },
      ]);
      expect((await walletOf(owner.live)).balanceCoins).toBe(OPENING - 100);
      const masking = await messaging.limited(owner.live, ['sms:read']);
      expect((await masking.get(`/v2/sms/messages/${sent.body.id}`)).text).not.toContain('987654321');
    },
  );

  test('without a valid signature changes nothing: 403', async () => {
    const owner = await tenantOf();
    const sent = await owner.live.send();
    const receipt = provider.receipt(await accepted(sent), 'delivered');
    const forged = await deliver({ ...receipt, body: `${receipt.body} ` });
    expect([forged.status, forged.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
    expect((await read(owner, sent.body.id)).status).toBe('sent');
  });
});

test('an inbound reply is one reply when repeated: listed, read, charged R$ 0.02 and raised as sms.received', async () => {
  const owner = await tenantOf();
  const sent = await owner.live.send({ metadata: { orderId: 'A-7' }, to: '+5511912345678' });
  const posted = provider.reply(await accepted(sent), 'Sim, pode entregar 🙂');
  for (let turn = 0; turn < 3; turn++) expect((await deliver(posted)).status).toBe(200);
  const { items, total } = (await owner.live.get('/v2/sms/replies', { inReplyTo: sent.body.id })).body;
  expect([total, items]).toEqual([
    1,
    [
      {
        id: expect.stringMatching(/^rpl_/),
        env: 'live',
        inReplyTo: sent.body.id,
        route: 'premium',
        from: '+5511912345678',
        body: 'Sim, pode entregar 🙂',
        receivedAt: expect.any(String),
        createdAt: expect.any(String),
      },
    ],
  ]);
  expect((await owner.live.get(`/v2/sms/replies/${items[0].id}`)).body).toEqual(items[0]);
  expect((await walletOf(owner.live)).balanceCoins).toBe(OPENING - 100 - 200);
  const received = (await messaging.eventsOf('live', owner.id)).filter(({ type }) => type === 'sms.received');
  expect(received).toMatchObject([
    {
      env: 'live',
      data: { id: items[0].id, inReplyTo: sent.body.id, from: '+55119****5678', metadata: { orderId: 'A-7' } },
    },
  ]);
  await checkMoney(messaging.tables.live, owner.id);
});
