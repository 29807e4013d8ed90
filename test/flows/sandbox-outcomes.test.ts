import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, aMessage } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, keyed, PATIENCE, walletOf } from './support.ts';

interface Outcome {
  readonly on: 'sms' | 'rcs';
  /** The end of the recipient, which selects the outcome. */
  readonly ending: string;
  readonly status?: 'delivered' | 'undelivered' | 'failed' | 'read';
  readonly reason?: string;
  /** On RCS, what delivered the message. */
  readonly by?: 'rcs' | 'sms';
  readonly fallback?: { readonly text: string };
}
const METADATA = { orderId: 'A-1', attempt: 2, vip: true } as const;
const FALLBACK = { text: 'Seu pedido não saiu.' };
/** The sandbox's table (docs/spec/sms.md#sms-sandbox); on RCS also 0021 for a device without RCS, and 0025 for a message that is read. */
const OUTCOMES: readonly Outcome[] = [
  { on: 'sms', ending: '0005', status: 'delivered' },
  { on: 'sms', ending: '0006', status: 'undelivered', reason: 'carrier_rejected' },
  { on: 'sms', ending: '0008', status: 'failed', reason: 'invalid_number' },
  { on: 'sms', ending: '0013', status: 'failed', reason: 'expired' },
  { on: 'sms', ending: '0018', status: 'failed', reason: 'blacklisted' },
  { on: 'sms', ending: '0025', status: 'delivered' },
  { on: 'sms', ending: '4321', status: 'delivered' },
  { on: 'rcs', ending: '0005', status: 'delivered', by: 'rcs' },
  { on: 'rcs', ending: '0006', status: 'failed', reason: 'carrier_rejected' },
  { on: 'rcs', ending: '0008', status: 'failed', reason: 'invalid_number' },
  { on: 'rcs', ending: '0013', status: 'failed', reason: 'expired' },
  { on: 'rcs', ending: '0018', status: 'failed', reason: 'blacklisted' },
  { on: 'rcs', ending: '0021', status: 'failed', reason: 'no_rcs' },
  { on: 'rcs', ending: '0021', status: 'delivered', by: 'sms', fallback: FALLBACK },
  { on: 'rcs', ending: '0025', status: 'read', by: 'rcs' },
  { on: 'rcs', ending: '4321', status: 'delivered', by: 'rcs', fallback: FALLBACK },
];
const SILENT: readonly Outcome[] = [
  { on: 'sms', ending: '0099' },
  { on: 'rcs', ending: '0099' },
];
const CHANNELS = {
  sms: { path: '/v2/sms/messages', route: 'otp', coins: 900, content: { body: aMessage.body } },
  rcs: { path: '/v2/rcs/messages', route: 'easy_rcs', coins: 1_200, content: { content: { text: aMessage.body } } },
} as const;
const nameOf = ({ on, ending, fallback }: Outcome) => `${on}-${ending}${fallback ? '-with-fallback' : ''}`;
const recipient = (ending: string) => `+551198765${ending}`;

const messaging = await sharedMessaging();
const takesEvents = { takesEvents: true };
const tenants = { sms: await messaging.tenant(takesEvents), rcs: await messaging.tenant(takesEvents) };
const contacts = { sms: '', rcs: '' };
const sent = new Map<string, Answer>();
const first = (outcome: Outcome) => sent.get(nameOf(outcome))?.body ?? {};
/** The message as it was first answered, without the fields of the answer. */
const asSent = (outcome: Outcome) => {
  const { billing: _, replayed: __, ...message } = first(outcome);
  return message;
};
const pathOf = (outcome: Outcome) => `${CHANNELS[outcome.on].path}/${first(outcome).id}`;
const read = async (outcome: Outcome) => (await tenants[outcome.on].test.get(pathOf(outcome))).body;
const eventsOf = async (outcome: Outcome) =>
  (await messaging.eventsOf('test', tenants[outcome.on].id)).filter(({ data }) => data.id === first(outcome).id);
const send = (outcome: Outcome, key = nameOf(outcome), fields: object = {}, of = tenants[outcome.on]) => {
  const { on, ending, fallback } = outcome;
  const { path, route, content } = CHANNELS[on];
  const common = { metadata: METADATA, campaignId: 'launch', contactId: contacts[on], route, ...content };
  return of.test.post(
    path,
    { ...common, to: recipient(ending), ...(fallback ? { fallback } : {}), ...fields },
    keyed(key),
  );
};

for (const on of ['sms', 'rcs'] as const)
  contacts[on] = (await tenants[on].test.post('/contacts', { phone: '+5511999990001' })).body.id;
await Promise.all([...OUTCOMES, ...SILENT].map(async (outcome) => sent.set(nameOf(outcome), await send(outcome))));

describe.each(OUTCOMES.map((each) => [nameOf(each), each] as const))('a sandbox send: %s', (_, outcome) => {
  const { on, ending, status, reason, by } = outcome;
  const stages = status === 'read' ? (['delivered', 'read'] as const) : ([status] as const);
  const settled = () => becomes(tenants[on].test, pathOf(outcome), { status });

  test('is answered as sent, without the outcome', () => {
    const { coins } = CHANNELS[on];
    const body = { status: 'sent', env: 'test', billing: { coins } };
    expect(sent.get(nameOf(outcome))).toMatchObject({ status: 201, body });
    for (const field of ['reason', 'channel', 'failureReason', 'deliveredAt', 'failedAt', 'readAt'])
      expect(first(outcome)).not.toHaveProperty(field);
  });

  /** The fields that the outcome adds. */
  const added = (body: Readonly<Record<string, string>>) => {
    if (on === 'rcs')
      return {
        ...(by ? { channel: by, deliveredAt: expect.any(String) } : { failureReason: reason }),
        ...(status === 'read' ? { readAt: expect.any(String) } : {}),
      };
    const stamp = status === 'delivered' ? 'deliveredAt' : 'failedAt';
    const { id } = asSent(outcome);
    const state = { status: status?.toUpperCase(), statusDescription: status?.toUpperCase() };
    const message = { id: `sbx_${id.slice(4)}`, type: 'api_message', to: recipient(ending), reference: id };
    const providerReceipt = { ...message, ...state, received: body[stamp], bill_factor: 1, channel: 'SMS' };
    return { [stamp]: expect.any(String), ...(reason ? { reason } : {}), providerReceipt };
  };
  test(`ends as ${status}${by ? ` by ${by}` : ''}${reason ? ` for ${reason}` : ''}, about 3 s after each status`, async () => {
    await settled();
    const body = await read(outcome);
    expect(body).toEqual({ ...asSent(outcome), status, ...added(body) });
    const times = [body.sentAt, body.deliveredAt ?? body.failedAt, body.readAt].filter(Boolean).map(Date.parse);
    times.slice(1).forEach((at, step) => {
      expect(at - (times[step] ?? 0)).toBeGreaterThanOrEqual(2_900);
      // Ten times as long on a loaded machine: the delay itself is a queue's.
      expect(at - (times[step] ?? 0)).toBeLessThan(30_000);
    });
    expect(times.length).toBe(on === 'rcs' && status === 'failed' ? 1 : stages.length + 1);
  });

  test(`raises ${stages.map((stage) => `${on}.${stage}`).join(' and then ')}, each once, masked and with the metadata`, async () => {
    await settled();
    const events = await eventsOf(outcome);
    expect(events.map(({ type, env }) => [type, env])).toEqual(stages.map((stage) => [`${on}.${stage}`, 'test']));
    for (const [at, { data }] of events.entries())
      expect(data).toEqual({
        id: first(outcome).id,
        channel: by ?? on,
        to: `+55119****${ending}`,
        status: stages[at],
        route: CHANNELS[on].route,
        campaignId: 'launch',
        contactId: contacts[on],
        metadata: METADATA,
        ...(reason ? { reason } : {}),
      });
  });

  test('is replayed with the first response, even after its report', async () => {
    await settled();
    expect((await send(outcome)).body).toEqual({ ...first(outcome), replayed: true });
  });
});

describe.each(['sms', 'rcs'] as const)('a sandbox send to 0114: %s', (on) => {
  test('is refused with 503, not charged, without events, readable as failed, and its key is free', async () => {
    const other = await messaging.tenant();
    const [key, fields] = [randomUUID(), { contactId: undefined }];
    const refused = await send({ on, ending: '0114' }, key, fields, other);
    expectProblem(refused, 503, { meta: { messageId: expect.stringMatching(/^msg_/) } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { status, body } = await other.test.get(`${CHANNELS[on].path}/${refused.body.meta.messageId}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'failed' } });
    if (on === 'sms') expect(body.failedAt).toEqual(expect.any(String));
    else for (const field of ['sentAt', 'channel']) expect(body).not.toHaveProperty(field);
    expect(await walletOf(other.test)).toMatchObject({ balanceCoins: 10_000_000, heldCoins: 0 });
    expect(await messaging.eventsOf('test', other.id)).toEqual([]);
    const again = await send({ on, ending: '0005' }, key, fields, other);
    expect(again).toMatchObject({ status: 201, body: { replayed: false } });
    expect(again.body.id).not.toBe(refused.body.meta.messageId);
    const { messages } = await checkMoney(messaging.tables.test, other.id);
    expect(messages.filter(({ hold }) => hold === 'released').map(({ to }) => to.slice(-4))).toEqual(['0114']);
  });
});

describe.each(['sms', 'rcs'] as const)('all of these sends on %s', (on) => {
  test('leave a consistent ledger: accepted messages stay charged, whatever their outcome', async () => {
    const { messages } = await checkMoney(messaging.tables.test, tenants[on].id);
    expect(messages).toHaveLength(OUTCOMES.filter((outcome) => outcome.on === on).length + 1);
    expect(new Set(messages.map(({ hold }) => hold))).toEqual(new Set(['captured']));
    const fallback = messages.find(({ id }) => id === first({ on: 'rcs', ending: '0021', fallback: FALLBACK }).id);
    // The fallback is stored as the text of its SMS, which no response shows.
    const stored = { fallback: { text: 'Seu pedido nao saiu.', encoding: 'GSM-7' } };
    if (on === 'rcs') expect(fallback?.content).toMatchObject(stored);
  });

  test('have all their events published', async () => {
    await vi.waitFor(async () => {
      const events = await messaging.eventsOf('test', tenants[on].id);
      expect(events.filter(({ publishedAt }) => publishedAt === undefined)).toEqual([]);
    }, PATIENCE);
  });
});

describe.each(SILENT.map((each) => [nameOf(each), each] as const))('a sandbox send: %s', (_, outcome) => {
  test('stays sent without a report', async () => {
    await pause(Math.max(0, Date.parse(first(outcome).sentAt) + 6_000 - Date.now()));
    expect(await read(outcome)).toEqual(asSent(outcome));
    expect(asSent(outcome).status).toBe('sent');
    expect(await eventsOf(outcome)).toEqual([]);
  });
});
