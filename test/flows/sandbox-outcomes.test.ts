import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, startMessaging } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const METADATA = { orderId: 'A-1', attempt: 2, vip: true } as const;
/** The sandbox's table (docs/spec/sms.md#sms-sandbox): ending, final status, its event and its reason. */
const ENDINGS = [
  ['0005', 'delivered', 'sms.delivered', undefined],
  ['0006', 'undelivered', 'sms.undelivered', 'carrier_rejected'],
  ['0008', 'failed', 'sms.failed', 'invalid_number'],
  ['0013', 'failed', 'sms.failed', 'expired'],
  ['0018', 'failed', 'sms.failed', 'blacklisted'],
  ['0025', 'delivered', 'sms.delivered', undefined],
  ['4321', 'delivered', 'sms.delivered', undefined],
] as const;
const recipient = (ending: string) => `+551198765${ending}`;

let fields: Readonly<Record<string, unknown>>;
const keyOf = (ending: string) => `key-${ending}`;
const sent = new Map<string, Answer>();
/** The body of the ending's 201. */
const first = (ending: string) => sent.get(ending)?.body ?? {};
const now = async (ending: string) => (await tenant.test.get(`/v2/sms/messages/${first(ending).id}`)).body;

const messaging = await use(startMessaging());
const tenant = await messaging.tenant();
beforeAll(async () => {
  const { body: contact } = await tenant.test.post('/contacts', { phone: '+5511999990001' });
  fields = { route: 'otp', metadata: METADATA, campaignId: 'launch', contactId: contact.id };
  const endings = [...ENDINGS.map(([ending]) => ending), '0099'];
  await Promise.all(
    endings.map(async (ending) =>
      sent.set(ending, await tenant.test.send({ ...fields, to: recipient(ending) }, keyOf(ending))),
    ),
  );
});

describe.each(ENDINGS)('a sandbox send to a recipient that ends with %s', (ending, status, type, reason) => {
  const events = async () =>
    (await messaging.eventsOf('test', tenant.id)).filter(({ data }) => data.id === first(ending).id);
  const settled = () =>
    vi.waitFor(async () => expect((await now(ending)).status).toBe(status), { timeout: 15_000, interval: 200 });

  test('is answered as any other, its report still to come', () => {
    expect(sent.get(ending)).toMatchObject({
      status: 201,
      body: { status: 'sent', env: 'test', billing: { coins: 900 } },
    });
    expect(first(ending)).not.toHaveProperty('reason');
  });

  test(`ends as ${status}${reason ? ` for ${reason}` : ''} about 3 s after it was sent, and stays charged`, async () => {
    await settled();
    const body = await now(ending);
    const { billing: _, replayed: __, ...asSent } = first(ending);
    const stamp = status === 'delivered' ? 'deliveredAt' : 'failedAt';
    expect(body).toEqual({
      ...asSent,
      status,
      [stamp]: expect.any(String),
      ...(reason ? { reason } : {}),
      providerReceipt: {
        id: `sbx_${asSent.id.slice(4)}`,
        type: 'api_message',
        to: recipient(ending),
        reference: asSent.id,
        status: status.toUpperCase(),
        statusDescription: status.toUpperCase(),
        received: body[stamp],
        bill_factor: 1,
        channel: 'SMS',
      },
    });
    const later = Date.parse(body[stamp]) - Date.parse(body.sentAt);
    expect(later).toBeGreaterThanOrEqual(2_900);
    expect(later).toBeLessThan(10_000);
  });

  test(`raises ${type} once, with the metadata unchanged, the recipient masked and env test`, async () => {
    await settled();
    const [event, ...more] = await events();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type, env: 'test' });
    expect(event?.data).toEqual({
      id: first(ending).id,
      channel: 'sms',
      to: `+55119****${ending}`,
      status,
      route: 'otp',
      campaignId: 'launch',
      contactId: first(ending).contactId,
      metadata: METADATA,
      ...(reason ? { reason } : {}),
    });
  });

  test('replays as it was first answered, though it moved on', async () => {
    await settled();
    const replay = await tenant.test.send({ ...fields, to: recipient(ending) }, keyOf(ending));
    expect(replay.body).toEqual({ ...first(ending), replayed: true });
  });
});

describe('a sandbox send to a recipient that ends with 0114', () => {
  test('is refused with 503, charged nothing, raises nothing, and is readable as failed', async () => {
    const other = await messaging.tenant();
    const key = randomUUID();
    const refused = await other.test.send({ to: recipient('0114') }, key);
    expectProblem(refused, 503, { meta: { messageId: expect.stringMatching(/^msg_/) } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const read = await other.test.get(`/v2/sms/messages/${refused.body.meta.messageId}`);
    expect(read).toMatchObject({ status: 200, body: { status: 'failed', failedAt: expect.any(String) } });
    expect((await other.test.get('/v2/wallet')).body).toMatchObject({ balanceCoins: 10_000_000, heldCoins: 0 });
    expect(await messaging.eventsOf('test', other.id)).toEqual([]);
  });

  test('leaves the key free: the retry is a new send, also with another body', async () => {
    const key = randomUUID();
    const refused = await tenant.test.send({ to: recipient('0114') }, key);
    const again = await tenant.test.send({ to: recipient('0005') }, key);
    expect(again).toMatchObject({ status: 201, body: { replayed: false } });
    expect(again.body.id).not.toBe(refused.body.meta.messageId);
  });
});

describe('all of them', () => {
  test('leave the books in order: each send captured once, each refusal released once', async () => {
    const { messages } = await checkMoney(messaging.tables.test, tenant.id);
    expect(messages.filter(({ hold }) => hold === 'released').map(({ to }) => to.slice(-4))).toEqual(['0114']);
  });

  test('are events that were handed over, each once', async () => {
    await vi.waitFor(
      async () => {
        const events = await messaging.eventsOf('test', tenant.id);
        expect(events.filter(({ publishedAt }) => publishedAt === undefined)).toEqual([]);
      },
      { timeout: 15_000, interval: 300 },
    );
  });
});

describe('a sandbox send to a recipient that ends with 0099', () => {
  test('stays sent in silence while the others are long reported', async () => {
    await pause(Math.max(0, Date.parse(first('0099').sentAt) + 6_000 - Date.now()));
    const silent = await now('0099');
    expect(silent).toMatchObject({ status: 'sent' });
    for (const field of ['deliveredAt', 'failedAt', 'reason', 'providerReceipt'])
      expect(silent).not.toHaveProperty(field);
    const events = await messaging.eventsOf('test', tenant.id);
    expect(events.filter(({ data }) => data.id === silent.id)).toEqual([]);
  });
});
