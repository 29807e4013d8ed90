import { beforeAll, describe, expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepts, claims, KILL_POINTS, type KilledCampaign, type KillPoint } from '../campaigns/kill-points.ts';
import { claimsMessage, startKillLab } from '../support/kill.ts';
import type { Hold } from '../support/kill-gate.ts';
import { checkMoney } from '../support/money.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { rowsWith } from '../support/scan.ts';
import { use } from '../support/use.ts';

// Real processes; a claim has to end, and a portion a minute later to come.
const ENDS_WITHIN_MS = 240_000;
vi.setConfig({ testTimeout: 2 * ENDS_WITHIN_MS, hookTimeout: 3 * ENDS_WITHIN_MS });
/** Thirty campaigns are asked for, whose next step is often a minute away: more often would load the machine that they wait for. */
const WAIT = { timeout: ENDS_WITHIN_MS, interval: 5_000 };

const SMS = 800;
/** Recipients of each campaign. Campaigns that receive a request while they run send one message a minute. */
const RECIPIENTS = 2;

interface Victim extends KilledCampaign {
  readonly point: KillPoint;
  readonly phones: readonly string[];
}
let caller: Awaited<ReturnType<typeof lab.organization>>;
let victims: readonly Victim[];

const lab = await use(startKillLab());
const read = async ({ id }: Victim) => (await caller.client.get(`/v2/campaigns/${id}`)).body;
const becomes = (victim: Victim, fields: object) =>
  vi.waitFor(async () => expect(await read(victim), victim.point.name).toMatchObject(fields), WAIT);
const ask = async ({ id, point }: Victim, operation: string) => {
  const answer = await caller.client.post(`/v2/campaigns/${id}/${operation}`, {});
  expect(answer.status, `${point.name}: ${operation} ${answer.text}`).toBe(200);
};
/** The messages of a victim that the provider accepted. */
const writtenTo = ({ phones }: Victim) => lab.provider.messages.filter(({ to }) => phones.includes(to));
/** The recipients of a victim whose message ended unsent. */
const unsentOf = async ({ id }: Victim): Promise<number> =>
  (await caller.client.get(`/v2/campaigns/${id}/recipients`, { status: 'failed' })).body.items.length;
/** Reports all of a victim's messages as delivered, as the provider does until it is answered. */
const report = (victim: Victim) =>
  Promise.all(
    writtenTo(victim).map(async (message) => {
      const post = async () => (await deliver(lab.provider.receipt(message, 'delivered'))).ok;
      await vi.waitFor(async () => expect(await post()).toBe(true), WAIT);
    }),
  );

const makeVictim = async (point: KillPoint, nth: number): Promise<Victim> => {
  const phones = Array.from({ length: RECIPIENTS }, (_, at) => `+55119${80_000_000 + nth * RECIPIENTS + at}`);
  const contactIds: string[] = [];
  for (const phone of phones) contactIds.push((await caller.client.post('/contacts', { phone })).body.id);
  const isSlow = point.by !== 'start' && point.by !== 'receipts';
  const { body, status, text } = await caller.client.post('/v2/campaigns', {
    name: point.name,
    message: { channel: 'sms', text: 'Oi {{contact.name|amigo}}' },
    audience: { contactIds },
    maxCoins: RECIPIENTS * SMS,
    ...(isSlow ? { perMinute: 1 } : {}),
  });
  expect(status, text).toBe(201);
  return { id: body.id, point, phones };
};

/** Learns the batches of the victims as their messages are accepted. */
const learnBatches = (): void =>
  lab.tableGate.watch((call) => {
    const victim = victims.find((each) => accepts(call, each));
    const batchId = victim && /"BATCH#(\w+)#/.exec(call.body)?.[1];
    if (batchId) victim.batchId ??= batchId;
  });

/** Requests to processes that were killed meanwhile. */
const lost: Promise<unknown>[] = [];
/** Makes the request that brings a victim to its point; the call itself may never be answered. */
const bring = async (victim: Victim): Promise<void> => {
  const { by, isCall } = victim.point;
  const last = (operation: string) => {
    if (!isCall) return ask(victim, operation);
    lost.push(ask(victim, operation).catch(() => undefined));
    return undefined;
  };
  if (by === 'start') return last('start');
  if (by === 'receipts') {
    await ask(victim, 'start');
    await becomes(victim, { progress: { sent: RECIPIENTS } });
    return void (await report(victim));
  }
  // However late the request: its second recipient is not sent to before.
  const second = lab.tableGate.hold('before', (call) => claims(call, victim) && writtenTo(victim).length > 0);
  await ask(victim, 'start');
  await becomes(victim, { progress: { sent: 1 } });
  if (by === 'resume') await ask(victim, 'pause');
  const requested = last(by);
  await second.release();
  return requested;
};

/**
 * The caller's actions after the restart: unanswered requests are retried, and paused campaigns are resumed. The provider reports the
 * messages that it accepted, and the campaign is completed.
 */
const continueAll = async (victim: Victim): Promise<void> => {
  const { by, isCall } = victim.point;
  if (isCall) await ask(victim, by);
  if ((await read(victim)).status === 'paused') await ask(victim, 'resume');
  const isCancelled = by === 'cancel';
  await becomes(victim, { progress: { total: RECIPIENTS, queued: 0, ...(isCancelled ? {} : { sent: RECIPIENTS }) } });
  await report(victim);
  await becomes(victim, { status: isCancelled ? 'cancelled' : 'completed', coins: { held: 0 } });
  // Cancelled before its second recipient is due, or after: each of them is written to, skipped, or has a message that was cancelled unsent.
  await vi.waitFor(async () => {
    const { sent, delivered, skipped } = (await read(victim)).progress;
    const unsent = isCancelled ? await unsentOf(victim) : 0;
    expect([sent + skipped + unsent, delivered], victim.point.name).toEqual([RECIPIENTS, sent]);
  }, WAIT);
};

beforeAll(async () => {
  await lab.start();
  caller = await lab.organization();
  const made: Victim[] = [];
  for (const [nth, point] of KILL_POINTS.entries()) made.push(await makeVictim(point, nth));
  victims = made;
  learnBatches();
  const holds = victims.map((victim): [Victim, Hold] => {
    const { at, matches } = victim.point;
    return [victim, lab.tableGate.hold(at, (call) => matches(call, victim))];
  });
  await Promise.all(victims.map(bring));
  for (const [{ point }, { reached }] of holds) {
    const late = Symbol(point.name);
    const waited = new Promise((resolve) => setTimeout(resolve, ENDS_WITHIN_MS, late).unref());
    expect(await Promise.race([reached, waited]), `${point.name} was not reached`).not.toBe(late);
  }
  // Whose messages are on their way to the provider is a matter of other tests: none leaves its queue from here on.
  lab.tableGate.hold('before', claimsMessage);
  await vi.waitFor(async () => {
    const rows = await rowsWith(lab.endpoint, lab.table.name, caller.organizationId);
    expect(rows.filter(({ pk, status }) => pk.startsWith('MSG#') && status === 'sending')).toEqual([]);
  }, WAIT);
  await lab.kill();
  await Promise.all(lost);
  lab.tableGate.clear();
  await lab.start();
  await Promise.all(victims.map(continueAll));
});

describe('a campaign whose process is killed', () => {
  test.each(KILL_POINTS)(
    '$name writes once to each recipient, to the coin, and raises each event once',
    async ({ name }) => {
      const victim = victims.find(({ point }) => point.name === name) as Victim;
      const isCancelled = victim.point.by === 'cancel';
      const { progress, coins } = await read(victim);
      const { sent } = progress;
      expect([sent >= (isCancelled ? 1 : RECIPIENTS), coins.captured]).toEqual([true, sent * SMS]);
      const taken = writtenTo(victim).map(({ to }) => to);
      expect(taken.sort()).toEqual([...victim.phones].slice(0, sent));
      const spent = Number((await lab.table.get(KEYS.campaignBudget(victim.id)))?.spent);
      // Money for a recipient who is due when the campaign is cancelled may have left the budget: that is never spent again.
      expect([spent >= sent * SMS, spent <= (isCancelled ? RECIPIENTS : sent) * SMS]).toEqual([true, true]);
      const rows = await rowsWith(lab.endpoint, lab.table.name, victim.id);
      const raised = rows.filter(({ pk }) => pk.startsWith('EVT#')).map(({ type }) => String(type));
      const times = (type: string) => raised.filter((each) => each === `campaign.${type}`).length;
      const acted = (await caller.client.get('/v2/audit', { object: victim.id })).body.items;
      const acts = (type: string) =>
        acted.filter(({ action }: { action: string }) => action === `campaign.${type}`).length;
      expect([times('started'), times('completed')]).toEqual([1, isCancelled ? 0 : 1]);
      expect([acts('started'), acts('paused'), acts('cancelled')]).toEqual([1, times('paused'), isCancelled ? 1 : 0]);
      expect(acts('resumed')).toBe(times('paused'));
      expect(times('paused')).toBeLessThanOrEqual(1);
    },
  );

  test('leaves money that adds up', async () => {
    await checkMoney(lab.table, caller.organizationId);
  });
});
