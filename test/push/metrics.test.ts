import { describe, expect, test } from 'vitest';
import {
  deliveredOf,
  failuresOf,
  type PushMessage,
  pushMessageView,
} from '../../shared/domain/channels/push/message.ts';
import { PUSH_PLATFORMS } from '../../shared/domain/channels/push/transport.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { Vault } from '../../shared/domain/core/secrets.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { listPushMessages, openPushDispatch, pushStatsReader } from '../../shared/storage/push/reads.ts';
import { accepted } from '../support/accepted.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
import { withLostAnswer } from '../support/lost-answer.ts';
import { pagesOf } from '../support/pages.ts';
import { messageIdOf, reachable, usePush } from './world.ts';

const SEED = 20_261_122;
const EACH = 10;
const OPENING = 1_000_000;

const { world, push } = await usePush();

const messageOf = async (id: Id<'message'>): Promise<PushMessage> => {
  const message = await push.send.sender.message(id);
  if (!message) throw new Error('there is no such message');
  return message;
};
const viewOf = async (id: Id<'message'>) => {
  const message = await messageOf(id);
  const [stats] = await pushStatsReader(world.table).statsOf([message]);
  if (!stats) throw new Error('the message has no stats');
  expect(deliveredOf(stats.tally) + failuresOf(stats.tally)).toBeLessThanOrEqual(message.reach);
  return pushMessageView(message, stats.tally, stats.opens, true);
};
const open = (organizationId: Id<'organization'>, id: Id<'pushDispatch'>) =>
  openPushDispatch(world.table, organizationId, id, world.now, () => {});

/** The breakdown of a message adds up to its metrics, and the charge is that of its delivered devices. */
const expectSums = async (id: Id<'message'>) => {
  const { metrics, breakdown, billing } = await viewOf(id);
  const parts = Object.values(breakdown);
  for (const name of ['delivered', 'failures', 'opened'] as const)
    expect(parts.reduce((sum, part) => sum + part[name], 0)).toBe(metrics[name]);
  expect(metrics.opened).toBeLessThanOrEqual(metrics.delivered);
  expect(billing.chargedCoins).toBe(metrics.delivered * EACH);
  return metrics;
};

/** Does all queued work in random order; some of it twice at once, or again later. */
const drainByChance = async (chance: Chance, after: () => Promise<void>): Promise<void> => {
  const done: (typeof push.workItems)[number][] = [];
  while (push.workItems.length > 0) {
    const [item] = push.workItems.splice(chance.below(push.workItems.length), 1);
    if (!item) break;
    world.now = Math.max(world.now, item.at);
    const again = chance.below(3) === 0 ? [item] : chance.below(3) === 0 && done.length > 0 ? [chance.pick(done)] : [];
    done.push(item);
    await Promise.all([item, ...again].map((each) => push.work(each)));
    await after();
  }
};

test(`the metrics of a message add up at every moment, whatever is repeated and in whatever order (seed ${SEED})`, async () => {
  const chance = chanceOf(SEED);
  for (let round = 0; round < 4; round++) {
    const actor = await world.organization(OPENING);
    const app = await push.app(actor);
    const endings = Array.from({ length: 60 }, () => chance.pick(['0005', '0005', '0006', '0008', '0018', '0114']));
    await push.devices(actor, app, endings, PUSH_PLATFORMS);
    const id = messageIdOf(await push.post(actor, 'key', { platforms: PUSH_PLATFORMS }));
    const openOne = async () => {
      const delivered = (await push.dispatchesOf(id)).filter(({ status }) => status === 'delivered');
      if (delivered.length > 0) {
        const { id: tapped } = chance.pick(delivered);
        await Promise.all([1, 2, 3].map(() => open(actor.organizationId, tapped)));
      }
      const { opened } = (await viewOf(id)).metrics;
      expect(opened).toBe((await push.dispatchesOf(id)).filter(({ openedAt }) => openedAt !== undefined).length);
      await expectSums(id);
    };
    await drainByChance(chance, openOne);
    await push.rescheduleDrain(id);
    const { reach, delivered, failures, opened } = await expectSums(id);
    const good = endings.filter((ending) => ending === '0005').length;
    expect({ reach, delivered, failures }).toEqual({ reach: 60, delivered: good, failures: 60 - good });
    expect(opened).toBeGreaterThan(0);
    await push.checkLedger(actor, good * EACH, OPENING);
  }
}, 180_000);

describe('an open', () => {
  /** A queued message to one device, and its dispatch. */
  const queueOne = async (over: Parameters<typeof push.post>[2] = {}) => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const id = messageIdOf(await push.post(actor, 'key', over));
    const [dispatch] = await push.dispatchesOf(id);
    return { actor, id, dispatchId: parseId('pushDispatch', dispatch?.id) };
  };

  test('before the send is not counted; the first one after the delivery is', async () => {
    const scheduledAt = new Date(world.now + 3_600_000).toISOString();
    const { actor, id, dispatchId } = await queueOne({ scheduledAt });
    expect(await open(actor.organizationId, dispatchId)).toMatchObject({ counted: false });
    expect((await expectSums(id)).opened).toBe(0);
    await push.drain();
    expect(await open(actor.organizationId, dispatchId)).toMatchObject({ counted: true });
    expect((await expectSums(id)).opened).toBe(1);
  });

  test('that arrives before the provider’s acceptance is stored is counted', async () => {
    const { actor, id } = await queueOne();
    const answers: unknown[] = [];
    push.transport.script = async ({ dispatchId }) => {
      answers.push(await open(actor.organizationId, parseId('pushDispatch', dispatchId)));
      return undefined;
    };
    await push.drain();
    push.transport.script = () => undefined;
    expect(answers).toMatchObject([{ counted: true }]);
    expect((await expectSums(id)).opened).toBe(1);
  });

  test('by another organization is not found, and counts nothing', async () => {
    const { id, dispatchId } = await queueOne();
    const stranger = await world.organization(OPENING);
    await push.drain();
    expect(await open(stranger.organizationId, dispatchId)).toBeUndefined();
    expect((await expectSums(id)).opened).toBe(0);
  });
});

describe('the list of messages', () => {
  const vault = { sign: () => 'x'.repeat(43), verify: () => true };
  const list = (organizationId: string, filter: object, cursor?: string, limit = 50) =>
    listPushMessages(world.table, filter, {
      vault: vault as unknown as Vault,
      scope: { organizationId: organizationId as PushMessage['organizationId'], env: 'test', query: {} },
      cursor,
      limit,
    });

  test('pages through messages of one moment, each once, newest first', async () => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const ids: string[] = [];
    for (let at = 0; at < 7; at++) ids.push(messageIdOf(await push.post(actor, `key-${at}`)));
    world.now += 1;
    const newest = messageIdOf(await push.post(actor, 'newest'));
    const pages = await pagesOf(async (cursor) => accepted(await list(actor.organizationId, {}, cursor, 3)));
    const found = pages.flatMap(({ items }) => items.map(({ id }) => id));
    expect(found[0]).toBe(newest);
    expect(found.slice(1).sort()).toEqual(ids.sort());
  });

  test('filtered by status shows no other status, though the index lags behind', async () => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const id = messageIdOf(await push.post(actor, 'key'));
    const wanted = { status: ['queued'], origin: ['api'] };
    expect(await list(actor.organizationId, wanted)).toMatchObject({ items: [{ id }] });
    // The index as it was before the message was sent.
    const stale = {
      ...KEYS.message(id),
      gsi1sk: INDEX_KEYS.messagesOf(actor.organizationId, 'push', new Date(world.now).toISOString(), id).gsi1sk,
    };
    await push.drain();
    const getMany: Table['getMany'] = (...given) => world.table.getMany(...given);
    const get: Table['get'] = (...given) => world.table.get(...given);
    const table = { get, query: async () => ({ rows: [stale] }), getMany } as unknown as Table;
    const request = { vault: vault as unknown as Vault, scope: { ...actor, query: {} }, cursor: undefined, limit: 50 };
    expect(await listPushMessages(table, { status: ['queued'] }, request)).toMatchObject({ items: [] });
    expect(await listPushMessages(table, {}, request)).toMatchObject({ items: [{ id, status: 'sent' }] });
  });
});

test('an open is counted by the call whose answer was lost, and not by the next one', async () => {
  const { actor } = await push.organization(OPENING, reachable(1));
  const messageId = messageIdOf(await push.post(actor, 'key'));
  await push.drain();
  const [{ id } = { id: parseId('pushDispatch', '') }] = await push.dispatchesOf(messageId);
  const opening = () => open(actor.organizationId, id);
  expect(await withLostAnswer(world.proxy, messageId, opening)).toMatchObject({ counted: true });
  expect(await opening()).toMatchObject({ counted: false });
  expect((await expectSums(messageId)).opened).toBe(1);
});
