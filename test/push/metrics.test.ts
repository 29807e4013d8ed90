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
import { INDEX_KEYS, KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { listPushMessages, openPushDispatch } from '../../shared/storage/push/reads.ts';
import { type Chance, chanceOf } from '../support/chance.ts';
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
  const [standing] = await push.create.stats.statsOf([message]);
  if (!standing) throw new Error('the message has no standing');
  expect(deliveredOf(standing.tally) + failuresOf(standing.tally)).toBeLessThanOrEqual(message.reach);
  return pushMessageView(message, standing.tally, standing.opens);
};
const open = (organizationId: Id<'organization'>, id: Id<'pushDispatch'>) =>
  openPushDispatch(world.table, organizationId, id, world.now);

/** That the parts of a message's counts are its counts, and that it is charged for what was delivered. */
const expectSums = async (id: Id<'message'>) => {
  const { metrics, breakdown, billing } = await viewOf(id);
  const parts = Object.values(breakdown);
  for (const name of ['delivered', 'failures', 'opened'] as const)
    expect(parts.reduce((sum, part) => sum + part[name], 0)).toBe(metrics[name]);
  expect(metrics.opened).toBeLessThanOrEqual(metrics.delivered);
  expect(billing.chargedCoins).toBe(metrics.delivered * EACH);
  return metrics;
};

/** Works through all that is due in an order of chance; some of it twice at once, or again later. */
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

describe('where the devices of a message stand', () => {
  test(`adds up at every moment, whatever repeats and in whatever order it comes (seed ${SEED})`, async () => {
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
      await push.checkBooks(actor, good * EACH, OPENING);
    }
  }, 120_000);
});

describe('an open', () => {
  test('of what has not left yet is not counted, and the first one after it arrived is', async () => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const scheduledAt = new Date(world.now + 3_600_000).toISOString();
    const id = messageIdOf(await push.post(actor, 'key', { scheduledAt }));
    const [dispatch] = await push.dispatchesOf(id);
    const dispatchId = parseId('pushDispatch', dispatch?.id);
    expect(await open(actor.organizationId, dispatchId)).toMatchObject({ counted: false });
    expect((await expectSums(id)).opened).toBe(0);
    await push.drain();
    expect(await open(actor.organizationId, dispatchId)).toMatchObject({ counted: true });
    expect((await expectSums(id)).opened).toBe(1);
  });

  test('that comes before its acceptance is written is counted', async () => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const id = messageIdOf(await push.post(actor, 'key'));
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

  test('of another organization is none, and counts nothing', async () => {
    const [{ actor }, stranger] = [await push.organization(OPENING, reachable(1)), await world.organization(OPENING)];
    const id = messageIdOf(await push.post(actor, 'key'));
    await push.drain();
    const [dispatch] = await push.dispatchesOf(id);
    expect(await open(stranger.organizationId, parseId('pushDispatch', dispatch?.id))).toBeUndefined();
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
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(actor.organizationId, {}, cursor, 3);
      if (!('items' in page)) throw new Error('the page was refused');
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(found[0]).toBe(newest);
    expect(found.slice(1).sort()).toEqual(ids.sort());
  });

  test('shows nothing of another status than it was asked for, though the index lags behind', async () => {
    const { actor } = await push.organization(OPENING, reachable(1));
    const id = messageIdOf(await push.post(actor, 'key'));
    const wanted = { status: ['queued'], origin: ['api'] };
    expect(await list(actor.organizationId, wanted)).toMatchObject({ items: [{ id }] });
    // The index as it stood before the message left.
    const stale = {
      ...KEYS.pushMessage(id),
      gsi1sk: INDEX_KEYS.pushMessagesOf(actor.organizationId, new Date(world.now).toISOString(), id).gsi1sk,
    };
    await push.drain();
    const getMany: Table['getMany'] = (...given) => world.table.getMany(...given);
    const table = { query: async () => ({ rows: [stale] }), getMany } as unknown as Table;
    const request = { vault: vault as unknown as Vault, scope: { ...actor, query: {} }, cursor: undefined, limit: 50 };
    expect(await listPushMessages(table, { status: ['queued'] }, request)).toMatchObject({ items: [] });
    expect(await listPushMessages(table, {}, request)).toMatchObject({ items: [{ id, status: 'sent' }] });
  });
});
