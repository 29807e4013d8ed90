import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, startMessaging } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const PATH = '/v2/rcs/messages';
const METADATA = { orderId: 'A-1', attempt: 2, vip: true } as const;
const FALLBACK = { text: 'Seu pedido não saiu.' };
interface Play {
  readonly ending: string;
  readonly fallback?: typeof FALLBACK;
  readonly status: 'delivered' | 'read' | 'failed';
  readonly channel?: 'rcs' | 'sms';
  readonly failureReason?: string;
}
/** The sandbox's endings on RCS: as on SMS, and 0021 for a device without RCS, 0025 for a message that is read. */
const PLAYS: readonly Play[] = [
  { ending: '0005', status: 'delivered', channel: 'rcs' },
  { ending: '0006', status: 'failed', failureReason: 'carrier_rejected' },
  { ending: '0008', status: 'failed', failureReason: 'invalid_number' },
  { ending: '0013', status: 'failed', failureReason: 'expired' },
  { ending: '0018', status: 'failed', failureReason: 'blacklisted' },
  { ending: '0021', status: 'failed', failureReason: 'no_rcs' },
  { ending: '0021', status: 'delivered', channel: 'sms', fallback: FALLBACK },
  { ending: '0025', status: 'read', channel: 'rcs' },
  { ending: '4321', status: 'delivered', channel: 'rcs', fallback: FALLBACK },
];
const nameOf = ({ ending, fallback }: Pick<Play, 'ending' | 'fallback'>) =>
  `${ending}${fallback ? ' with a fallback' : ''}`;
const keyOf = (name: string) => name.replaceAll(' ', '-');
const recipient = (ending: string) => `+551198765${ending}`;
const wait = { timeout: 20_000, interval: 200 };

let common: Readonly<Record<string, unknown>>;
const sent = new Map<string, Answer>();
const first = (name: string) => sent.get(name)?.body ?? {};

const send = (fields: Readonly<Record<string, unknown>>, key: string = randomUUID(), owner = tenant) =>
  owner.test.post(
    PATH,
    { content: { text: 'Seu pedido saiu.' }, route: 'easy_rcs', ...common, ...fields },
    { 'idempotency-key': key },
  );
const requestOf = ({ ending, fallback }: Pick<Play, 'ending' | 'fallback'>) => ({
  to: recipient(ending),
  ...(fallback ? { fallback } : {}),
});
const now = async (name: string) => (await tenant.test.get(`${PATH}/${first(name).id}`)).body;
const eventsOf = async (name: string) =>
  (await messaging.eventsOf('test', tenant.id)).filter(({ data }) => data.id === first(name).id);

const messaging = await use(startMessaging());
const tenant = await messaging.tenant();
beforeAll(async () => {
  const { body: contact } = await tenant.test.post('/contacts', { phone: '+5511999990001' });
  common = { metadata: METADATA, campaignId: 'launch', contactId: contact.id };
  await Promise.all(
    [...PLAYS, { ending: '0099' }].map(async (play) =>
      sent.set(nameOf(play), await send(requestOf(play), keyOf(nameOf(play)))),
    ),
  );
});

describe.each(PLAYS.map((play) => [nameOf(play), play] as const))('a sandbox RCS to %s', (name, play) => {
  const { ending, status, channel, failureReason } = play;
  const settled = () => vi.waitFor(async () => expect((await now(name)).status).toBe(status), wait);
  const stages = status === 'read' ? (['delivered', 'read'] as const) : ([status] as const);

  test('is answered as any other, its report still to come and its channel not known', () => {
    expect(sent.get(name)).toMatchObject({ status: 201, body: { status: 'sent', billing: { coins: 1_200 } } });
    for (const field of ['channel', 'failureReason', 'deliveredAt', 'readAt'])
      expect(first(name)).not.toHaveProperty(field);
  });

  test(`ends as ${status}${channel ? ` by ${channel}` : ` for ${failureReason}`}, about 3 s after each step`, async () => {
    await settled();
    const body = await now(name);
    const { billing: _, replayed: __, ...asSent } = first(name);
    expect(body).toEqual({
      ...asSent,
      status,
      ...(channel ? { channel, deliveredAt: expect.any(String) } : { failureReason }),
      ...(status === 'read' ? { readAt: expect.any(String) } : {}),
    });
    const moments = [body.sentAt, body.deliveredAt, body.readAt].filter(Boolean).map(Date.parse);
    moments.slice(1).forEach((at, step) => {
      expect(at - (moments[step] ?? 0)).toBeGreaterThanOrEqual(2_900);
      expect(at - (moments[step] ?? 0)).toBeLessThan(10_000);
    });
  });

  test(`raises ${stages.map((stage) => `rcs.${stage}`).join(' and then ')}, each once, with data.channel`, async () => {
    await settled();
    const events = await eventsOf(name);
    expect(events.map(({ type, env }) => [type, env])).toEqual(stages.map((stage) => [`rcs.${stage}`, 'test']));
    for (const [at, { data }] of events.entries())
      expect(data).toEqual({
        id: first(name).id,
        channel: channel ?? 'rcs',
        to: `+55119****${ending}`,
        status: stages[at],
        route: 'easy_rcs',
        campaignId: 'launch',
        contactId: first(name).contactId,
        metadata: METADATA,
        ...(failureReason ? { reason: failureReason } : {}),
      });
  });

  test('replays as it was first answered, though it moved on', async () => {
    await settled();
    expect((await send(requestOf(play), keyOf(name))).body).toEqual({ ...first(name), replayed: true });
  });
});

describe('a sandbox RCS to 0114', () => {
  test('is refused with 503, charged nothing, raises nothing, is readable as failed, and leaves its key free', async () => {
    const other = await messaging.tenant();
    const key = randomUUID();
    const plain = { contactId: undefined };
    const refused = await send({ ...plain, to: recipient('0114') }, key, other);
    expectProblem(refused, 503, { meta: { messageId: expect.stringMatching(/^msg_/) } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const read = await other.test.get(`${PATH}/${refused.body.meta.messageId}`);
    expect(read).toMatchObject({ status: 200, body: { status: 'failed' } });
    for (const field of ['sentAt', 'channel']) expect(read.body).not.toHaveProperty(field);
    expect((await other.test.get('/v2/wallet')).body).toMatchObject({ balanceCoins: 10_000_000, heldCoins: 0 });
    expect(await messaging.eventsOf('test', other.id)).toEqual([]);
    const again = await send({ ...plain, to: recipient('0005') }, key, other);
    expect(again).toMatchObject({ status: 201, body: { replayed: false } });
  });
});

describe('all of them', () => {
  test('leave the books in order: what was accepted stays charged, whatever was reported of it', async () => {
    const { messages } = await checkMoney(messaging.tables.test, tenant.id);
    expect(messages).toHaveLength(PLAYS.length + 1);
    expect(new Set(messages.map(({ hold }) => hold))).toEqual(new Set(['captured']));
  });

  test('keep the fallback as an SMS writes it, which no answer shows', async () => {
    const { messages } = await checkMoney(messaging.tables.test, tenant.id);
    const kept = messages.find(({ id }) => id === first('0021 with a fallback').id);
    expect(kept?.content).toMatchObject({ fallback: { text: 'Seu pedido nao saiu.', encoding: 'GSM-7' } });
  });
});

describe('a sandbox RCS to 0099', () => {
  test('stays sent in silence while the others are long reported', async () => {
    await pause(Math.max(0, Date.parse(first('0099').sentAt) + 6_000 - Date.now()));
    const silent = await now('0099');
    const { billing: _, replayed: __, ...asSent } = first('0099');
    expect(silent).toEqual(asSent);
    expect(await eventsOf('0099')).toEqual([]);
  });
});
