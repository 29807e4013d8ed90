import { describe, expect, test, vi } from 'vitest';
import { putPrices } from '../../shared/storage/wallet/prices.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { octetsOf, textOf } from '../support/smpp/carrier-octets.ts';
import { startCarrier } from '../support/smpp/carrier-simulator.ts';
import { use } from '../support/use.ts';
import { becomes, PATIENCE, setUpProvider, smsPrices, walletOf } from './support.ts';

const OPENING = 1_000_000;
const PRICES = smsPrices([[null, 70]], 90);
const messaging = await use(
  startMessaging({
    smppPort: 0,
    carrierPort: 0,
    beforeReady: ({ tables }) => putPrices(tables.live, '2020-01-01T00:00:00.000Z', PRICES),
  }),
);
const carrier = await use(startCarrier());
await setUpProvider(messaging, 'sms', 'smpp_carrier', {
  host: '127.0.0.1',
  port: carrier.port,
  systemId: 'carrier-user',
  password: 'secret',
  from: '28000',
  throughput: 1_000,
  messageIds: 'hex_then_decimal',
  serviceKey: 'a key that both sides of a test have',
  serviceUrl: `http://127.0.0.1:${messaging.carrierPort}`,
});
await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), { ...PATIENCE, timeout: 45_000 });

const tenantOf = () => messaging.tenant({ live: OPENING });
let phones = 0;
const newPhone = () => `+55119876${String(++phones).padStart(5, '0')}`;
const lastId = () => Number.parseInt(carrier.accepted.at(-1)?.id ?? '', 16);
const receipt = (phone: string, stat: string, id = lastId()) =>
  carrier.deliver({
    source: phone.slice(1),
    destination: '28000',
    esmClass: 4,
    short: Buffer.from(
      `id:${id} sub:001 dlvrd:001 submit date:2611260000 done date:2611260001 stat:${stat} err:000 text:`,
    ),
  });
const moves = ({ live }: Tenant, id: string, fields: object) => becomes(live, `/v2/sms/messages/${id}`, fields);

describe('a live send through a carrier over SMPP', () => {
  test('leaves in parts, is charged once, and its receipt, under another spelling of the id, delivers it', async () => {
    const [owner, to] = [await tenantOf(), newPhone()];
    const sent = await owner.live.send({ to, body: 'a'.repeat(200) });
    expect(sent).toMatchObject({
      status: 201,
      body: { provider: 'smpp_carrier', status: 'sent', billing: { coins: 140 } },
    });
    expect(
      carrier.accepted
        .slice(-2)
        .map(({ submit }) => textOf(submit))
        .join(''),
    ).toBe('a'.repeat(200));
    expect(await receipt(to, 'DELIVRD')).toBe(0);
    await moves(owner, sent.body.id, { status: 'delivered' });
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING - 140, heldCoins: 0 });
  });

  test('that the carrier throttles is 429, and that it refuses for its recipient 422; neither is charged', async () => {
    const owner = await tenantOf();
    carrier.script({ status: 0x58 }, { status: 0x0b });
    const throttled = await owner.live.send({ to: newPhone() });
    expect(throttled.status).toBe(429);
    expect(throttled.headers.get('retry-after')).toBe('1');
    expect(await owner.live.send({ to: newPhone() })).toMatchObject({
      status: 422,
      body: { meta: { motivo: 'invalid_number' } },
    });
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
    await checkMoney(messaging.tables.live, owner.id);
  });

  test('whose connection dies before the response is not sent again, and ends refunded', async () => {
    const [owner, to] = [await tenantOf(), newPhone()];
    carrier.script('accept_and_reset');
    const before = carrier.submits.length;
    const sent = await owner.live.send({ to });
    expect(sent.status).toBe(502);
    expect(carrier.submits).toHaveLength(before + 1);
    expect(await walletOf(owner.live)).toMatchObject({ heldCoins: 70 });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
  });

  test('whose response arrives after the timeout is found, and charged', async () => {
    const [owner, to] = [await tenantOf(), newPhone()];
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
    carrier.script('accept_and_hang');
    const sent = await owner.live.send({ to });
    expect(sent.status).toBe(502);
    carrier.answerHeld();
    await moves(owner, sent.body.meta.messageId, { status: 'sent' });
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING - 70, heldCoins: 0 });
  });
});

test('a reply that the carrier delivers is the reply to the message, once, though it is repeated', async () => {
  const [owner, to] = [await tenantOf(), newPhone()];
  const sent = await owner.live.send({ to });
  const reply = { source: to.slice(1), destination: '28000', ...octetsOf('SIM, é claro') };
  expect(await carrier.deliver(reply)).toBe(0);
  carrier.drop();
  await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
  await vi.waitFor(async () => {
    if (carrier.bound().length === 0) throw new Error('no bind');
    expect(await carrier.deliver(reply)).toBe(0);
  }, PATIENCE);
  await vi.waitFor(async () => {
    const { items } = (await owner.live.get('/v2/sms/replies')).body;
    expect(items).toMatchObject([{ inReplyTo: sent.body.id, body: 'SIM, é claro' }]);
  }, PATIENCE);
});

test('a long reply that the carrier delivers in parts, in any order and one of them twice, is one reply, and what it says as a whole opts out', async () => {
  const [owner, to] = [await tenantOf(), newPhone()];
  const sent = await owner.live.send({ to });
  const part = (number: number, text: string, reference: number) => {
    const { dataCoding, short } = octetsOf(text);
    const header = Buffer.from([5, 0, 3, reference, 2, number]);
    return carrier.deliver({
      source: to.slice(1),
      destination: '28000',
      esmClass: 0x40,
      dataCoding,
      short: Buffer.concat([header, short]),
    });
  };
  const before = (await walletOf(owner.live)).balanceCoins;
  for (const [number, text] of [
    [2, 'ção 😀'],
    [2, 'ção 😀'],
    [1, 'SIM, com aten'],
    [2, 'ção 😀'],
  ] as const)
    expect(await part(number, text, 1)).toBe(0);
  const repliesOf = async () => (await owner.live.get('/v2/sms/replies')).body.items;
  expect(await repliesOf()).toMatchObject([{ inReplyTo: sent.body.id, body: 'SIM, com atenção 😀' }]);
  expect((await walletOf(owner.live)).balanceCoins).toBe(before - 200);
  expect(await part(2, 'IR', 2)).toBe(0);
  expect(await part(1, 'SA', 2)).toBe(0);
  expect((await repliesOf()).map(({ body }: { body: string }) => body)).toEqual(['SAIR', 'SIM, com atenção 😀']);
  expect(await owner.live.send({ to })).toMatchObject({ status: 422, body: { meta: { motivo: 'opt_out' } } });
});

test('our own SMPP server is a carrier as well: what live sends through it is a message of the account that it is bound by', async () => {
  const [owner, other] = [await tenantOf(), await messaging.tenant()];
  const account = (await other.test.post('/v2/smpp/accounts', { name: 'Another service', route: 'premium' })).body;
  await setUpProvider(messaging, 'sms', 'smpp_carrier', {
    host: '127.0.0.1',
    port: messaging.smppPort,
    systemId: account.systemId,
    password: account.password,
    throughput: 1_000,
    serviceKey: 'a key that both sides of a test have',
    serviceUrl: `http://127.0.0.1:${messaging.carrierPort}`,
  });
  await vi.waitFor(() => expect(carrier.bound()).toHaveLength(0), PATIENCE);
  const body = 'Olá €';
  const sent = await vi.waitFor(async () => {
    const answer = await owner.live.send({ to: '+5511999990005', body });
    expect(answer.status).toBe(201);
    return answer;
  }, PATIENCE);
  const { items } = (await other.test.get('/v2/sms/messages?limit=1')).body;
  expect(items).toMatchObject([{ to: '+5511999990005', env: 'test', provider: 'sandbox_provider', length: 6 }]);
  expect(sent.body).toMatchObject({ provider: 'smpp_carrier', status: 'sent' });
});
