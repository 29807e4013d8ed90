import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTableLaws, type TableLaws } from '../../infra/local/table-laws/proxy.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  startCampaign,
} from '../../shared/domain/campaigns/lifecycle.ts';
import type { PortionPorts } from '../../shared/domain/campaigns/ports.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { newestAudit } from '../../shared/storage/audit/audit-log.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { bulkWorld } from '../support/bulk-world.ts';
import { tolerant } from '../support/fault-proxy.ts';
import { patient } from '../support/patient-client.ts';
import { indexesUpToDate, watchIndexes } from '../support/table-engine.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { campaignPortsOver, draftTo, dueOf, workOnCampaign, writePeople } from './stage.ts';

const PROCESSES = 20;
const SMS = 800;
const HOUR_MS = 3600_000;
/** Longer than any invocation, so that the outcome does not depend on the machine. */
const PATIENCE_MS = 120_000;
const patience = (startedAt: number) => startedAt + PATIENCE_MS - performance.now();
beforeAll(() => setConflictPatience(patience));
afterAll(() => setConflictPatience(() => 0));

/** A table that has grown with its traffic: what is left are the limits of each partition key. */
const GROWN = { read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY };
let laws: TableLaws | undefined;
/** Limits that many processes at one campaign reach. */
const underLaws = async (endpoint: string): Promise<string> => {
  laws = await use(startTableLaws(endpoint, { lagMs: [0, 0], scale: 30, table: GROWN }));
  watchIndexes(laws);
  return laws.endpoint;
};
const world = await use(startWorld('live', { through: underLaws }));
const raised: DomainEvent[] = [];
beforeEach(() => {
  world.reset();
  raised.length = 0;
});
const bulk = bulkWorld(world);
/** Each as another process is: without a client, a cache or a queue in common. */
const processes: readonly PortionPorts[] = Array.from({ length: PROCESSES }, () => {
  const table = new Table(patient(tableClient(world.proxy.endpoint)), 'live', patience);
  return campaignPortsOver(world, table, (events) => void raised.push(...events));
});
const [ports] = processes as [PortionPorts];

/** Does something in all processes at once. */
const atOnce = <T>(act: (own: PortionPorts, at: number) => Promise<T>): Promise<T[]> => Promise.all(processes.map(act));
/** All processes work on all due rows, each in a different order. Failed work is due again. */
const workConcurrently = async (id: Id<'campaign'>): Promise<void> => {
  const due = await dueOf(world, id);
  await atOnce(async (own, at) => {
    const from = at % Math.max(1, due.length);
    for (const item of [...due.slice(from), ...due.slice(0, from)]) await tolerant(workOnCampaign(own, item));
  });
};
/** Retries, as callers do, while the table is too busy. */
const withRetries = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (;;) {
    const answer = await tolerant(ask());
    if (answer !== undefined) return answer;
  }
};
const raisedOf = (type: DomainEvent['type']) => raised.filter((event) => event.type === type);
const stateOf = async (id: Id<'campaign'>) => {
  const campaign = await ports.store.readById(id);
  if (!campaign) throw new Error('there is no campaign');
  return campaign;
};
/** How often an act on the campaign was entered in the audit log. */
const entered = async ({ organizationId }: Actor, id: Id<'campaign'>) => {
  const page = { limit: 1_000, now: world.now };
  const entries = await newestAudit(world.table, organizationId, { object: id }, page);
  return Object.fromEntries([...Map.groupBy(entries, ({ action }) => action)].map(([act, all]) => [act, all.length]));
};
const spentOf = async (id: Id<'campaign'>) => (await world.table.get(KEYS.campaignBudget(id)))?.spent ?? 0;
/** A minute and a half: claims expire, and undecided batches are refused. */
const pass = async (): Promise<void> => {
  world.now += 91_000;
  await bulk.dispatch();
};
const credit = ({ organizationId, env }: Actor, coins: number) =>
  creditWallet(world.table, { organizationId, env, coins, description: 'Credit', now: world.now });
const draftOf = async (actor: Actor, count: number, fields: Parameters<typeof draftTo>[3]) => {
  const people = Array.from({ length: count }, () => ({}));
  const contacts = await writePeople(world, actor, people);
  return { id: await draftTo(ports, actor, contacts, fields), contacts };
};

describe('twenty processes at one campaign', { timeout: 300_000 }, () => {
  test('start it once, pause and resume it as one, write once to each recipient, to the coin, and complete it once', async () => {
    const [count, lacking] = [24, 5];
    const actor = await world.organization((count - lacking) * SMS);
    const { id, contacts } = await draftOf(actor, count, { perMinute: 3, maxCoins: count * SMS });
    const started = await atOnce((own) => withRetries(() => startCampaign(own, actor, id)));
    expect(started).toEqual(Array(PROCESSES).fill(expect.objectContaining({ status: 'running' })));
    const snapshots = new Set(started.map((one) => 'drive' in one && one.drive?.snapshot));
    expect(snapshots.size).toBe(1);

    let isFunded = false;
    const isShort = () =>
      raisedOf('campaign.paused').some(
        ({ data }) => (data.pausedBy as { reason: string }).reason === 'insufficient_funds',
      );
    const sent = async () => (await ports.figures({ id, organizationId: actor.organizationId })).sent;
    for (let round = 0; (await sent()) < count; round++) {
      if (round > 100) throw new Error('the campaign does not come to its end');
      if (isShort() && !isFunded) await credit(actor, lacking * SMS);
      isFunded ||= isShort();
      const act = [pauseCampaign, resumeCampaign][round % 3];
      await Promise.all([workConcurrently(id), act && atOnce((own) => withRetries(() => act(own, actor, id)))]);
      await pass();
    }
    await resumeCampaign(ports, actor, id);
    for (let look = 0; look < 3; look++) {
      await workConcurrently(id);
      world.now += 73 * HOUR_MS;
    }
    expect((await stateOf(id)).status).toBe('completed');

    await indexesUpToDate();
    await bulk.settle();
    const messages = await bulk.messages(actor);
    expect(messages.map(({ contactId }) => contactId).sort()).toEqual(contacts.map((contact) => contact.id).sort());
    await bulk.sentOnce(actor, count);
    expect(await ports.figures({ id, organizationId: actor.organizationId })).toMatchObject({
      accepted: count,
      sent: count,
      skipped: 0,
      coinsCaptured: count * SMS,
      coinsHeld: 0,
    });
    expect(await spentOf(id)).toBe(count * SMS);

    const { drive } = await stateOf(id);
    const acted = await entered(actor, id);
    expect(raisedOf('campaign.started')).toHaveLength(1);
    expect(raisedOf('campaign.completed')).toMatchObject([{ data: { campaignId: id, progress: { sent: count } } }]);
    const byOperator = raisedOf('campaign.paused').filter(
      ({ data }) => (data.pausedBy as { reason: string }).reason === 'operator',
    );
    expect(acted).toEqual({
      'campaign.created': 1,
      'campaign.started': 1,
      'campaign.paused': byOperator.length,
      'campaign.resumed': raisedOf('campaign.paused').length,
    });
    expect(drive?.epoch).toBe(acted['campaign.resumed']);
    expect(raisedOf('campaign.paused').map(({ data }) => (data.pausedBy as { reason: string }).reason)).toContain(
      'insufficient_funds',
    );
  });

  test('cancel it in the midst of its sends: who was not written to is skipped, what has not left is released', async () => {
    const count = 20;
    const actor = await world.organization();
    const { id, contacts } = await draftOf(actor, count, { perMinute: 2 });
    await startCampaign(ports, actor, id);
    await workConcurrently(id);
    await pass();
    await pass();
    const cancelled = await Promise.all([
      atOnce((own) => withRetries(() => cancelCampaign(own, actor, id))),
      workConcurrently(id),
    ]);
    expect(cancelled[0]).toEqual(Array(PROCESSES).fill(expect.objectContaining({ status: 'cancelled' })));
    for (let round = 0; (await dueOf(world, id)).length > 0; round++) {
      if (round > 20) throw new Error('the campaign is due for ever');
      await workConcurrently(id);
      world.now += 91_000;
    }
    await indexesUpToDate();
    await bulk.settle();
    const messages = await bulk.messages(actor);
    const { accepted, skipped, unsent, coinsHeld, coinsCaptured } = await ports.figures({ id, ...actor });
    const sent = messages.filter(({ hold }) => hold === 'captured').length;
    expect(new Set(messages.map(({ contactId }) => contactId)).size).toBe(messages.length);
    expect([accepted, skipped, unsent]).toEqual([
      messages.length,
      contacts.length - messages.length,
      messages.length - sent,
    ]);
    expect([coinsHeld, coinsCaptured]).toEqual([0, sent * SMS]);
    await bulk.sentOnce(actor, sent);
    expect(await entered(actor, id)).toMatchObject({ 'campaign.started': 1, 'campaign.cancelled': 1 });
    expect(raised.map(({ type }) => type)).toEqual(['campaign.started']);
  });

  // Whether they meet the limits of a partition key depends on how fast the machine is.
  test('conflicted on the table', () => {
    expect(laws?.statistics().refusals.transactionConflicts ?? 0).toBeGreaterThan(0);
  });
});
