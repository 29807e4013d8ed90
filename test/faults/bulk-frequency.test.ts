import { beforeEach, describe, expect, test } from 'vitest';
import { DECISION_TIMEOUT_MS } from '../../shared/domain/bulk/ports.ts';
import type { FrequencyCap } from '../../shared/domain/contacts/frequency.ts';
import { hourOf, sentWithin } from '../../shared/domain/contacts/frequency.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readSentCounts } from '../../shared/storage/contacts/sent-counts.ts';
import { accepted } from '../support/accepted.ts';
import { type BulkFields, many, useBulk } from '../support/bulk-world.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';

const { world, bulk } = await useBulk();
beforeEach(world.reset);
const { table } = world;

const WEEKLY = { messages: 3, days: 7 } as const;
const contactsOf = (actor: Actor, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const id = newId('contact');
      await table.write({ put: { ...KEYS.contact(id), org: actor.organizationId } });
      return id;
    }),
  );
const countedOf = async (ids: readonly Id<'contact'>[]) =>
  (await readSentCounts(table, ids)).map(({ byHour }) => sentWithin(byHour, 365, world.now));
const send = (actor: Actor, messages: readonly BulkFields[], cap?: FrequencyCap, over = {}) =>
  bulk.send(actor, messages, 'permissive', over, {}, { frequency: { cap } });
/** A message to each contact, each under a key. */
const toEach = (ids: readonly Id<'contact'>[]) =>
  many(ids.length, (at) => ({ contactId: ids[at] as Id<'contact'>, idempotencyKey: `campaign-${at}` }));

describe('a bulk send that counts for frequency caps', { timeout: 180_000 }, () => {
  test('counts each of its messages for its contact, however many of them a chunk and its contacts have', async () => {
    const actor = await world.organization();
    const [one, two, three] = (await contactsOf(actor, 3)) as [Id<'contact'>, Id<'contact'>, Id<'contact'>];
    const messages = many(150, (at) => ({ contactId: at % 3 === 0 ? one : two }));
    expect(accepted(await send(actor, messages))).toMatchObject({ accepted: 150 });
    expect(await countedOf([one, two, three])).toEqual([50, 100, 0]);
    const stored = await bulk.messages(actor);
    expect(new Set(stored.map(({ countedHour }) => countedHour))).toEqual(new Set([hourOf(world.now)]));
    await bulk.settle();
    await bulk.sentOnce(actor, 150);
    expect(await countedOf([one, two])).toEqual([50, 100]);
  });

  test('counts nothing if no cap is requested, or no contact is named', async () => {
    const actor = await world.organization();
    const [one] = (await contactsOf(actor, 1)) as [Id<'contact'>];
    expect(accepted(await bulk.send(actor, [{ contactId: one }]))).toMatchObject({ accepted: 1 });
    expect(accepted(await send(actor, [{}], WEEKLY))).toMatchObject({ accepted: 1 });
    expect(await table.get(KEYS.sentToContact(one))).toBeUndefined();
  });

  test('refuses the messages that exceed a cap individually, and accepts the others', async () => {
    const actor = await world.organization();
    const [one, two] = (await contactsOf(actor, 2)) as [Id<'contact'>, Id<'contact'>];
    await send(
      actor,
      many(2, () => ({ contactId: two })),
    );
    const messages = many(10, (at) => ({ contactId: at < 5 ? one : two }));
    const answer = accepted(await send(actor, messages, WEEKLY));
    expect(answer).toMatchObject({ accepted: 4, rejected: 6 });
    expect(answer.errors.map(({ index }) => index)).toEqual([3, 4, 6, 7, 8, 9]);
    expect(await countedOf([one, two])).toEqual([3, 3]);
    world.now += 8 * 24 * 3_600_000;
    expect(accepted(await send(actor, messages, WEEKLY))).toMatchObject({ accepted: 6 });
  });

  test('holds a cap exactly when twenty bulk sends share the same contacts', async () => {
    // Messages left by earlier tests are sent first.
    await bulk.settle();
    world.provider.dispatched.length = 0;
    const actor = await world.organization(10_000_000);
    const ids = await contactsOf(actor, 20);
    const cap = { messages: 7, days: 1 };
    const messages = many(20, (at) => ({ contactId: ids[at] as Id<'contact'> }));
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(actor, messages, cap)));
    const taken = answers.map(accepted).reduce((sum, answer) => sum + answer.accepted, 0);
    expect(taken).toBe(7 * ids.length);
    expect(await countedOf(ids)).toEqual(ids.map(() => 7));
    await bulk.settle();
    await bulk.sentOnce(actor, taken);
  });

  test.each([
    ['its answer is lost', FAULTS.loseAnswer, 1],
    ['all of its answers are lost', FAULTS.loseAnswer, 4],
    ['it meets a conflict', FAULTS.conflict(100), 2],
  ])('counts each message once when %s', async (_, fault, last) => {
    const actor = await world.organization();
    const ids = await contactsOf(actor, 60);
    world.proxy.plan(onTransactions(fault, { last }));
    expect(accepted(await send(actor, toEach(ids), WEEKLY))).toMatchObject({ accepted: 60 });
    world.proxy.plan(undefined);
    expect(await countedOf(ids)).toEqual(ids.map(() => 1));
    // A repeat under the same keys is the same send.
    expect(accepted(await send(actor, toEach(ids), WEEKLY))).toMatchObject({ accepted: 60 });
    expect(await countedOf(ids)).toEqual(ids.map(() => 1));
  });

  test('that a crash interrupted returns its counts, and counts once when it is repeated', async () => {
    for (const after of [0, 1, 2]) {
      const actor = await world.organization();
      const ids = await contactsOf(actor, 100);
      let left = after;
      const crash = send(actor, toEach(ids), WEEKLY, {
        reserveChunk: async (reservation: Parameters<typeof bulk.store.reserveChunk>[0]) => {
          if (left-- <= 0) throw new RangeError('the process is gone');
          return bulk.store.reserveChunk(reservation);
        },
      });
      await expect(crash).rejects.toThrow('the process is gone');
      world.now += DECISION_TIMEOUT_MS + 1;
      await bulk.dispatch();
      await bulk.settle();
      expect(await countedOf(ids)).toEqual(ids.map(() => 0));
      expect(accepted(await send(actor, toEach(ids), WEEKLY))).toMatchObject({ accepted: 100 });
      expect(await countedOf(ids)).toEqual(ids.map(() => 1));
    }
  });

  test('gives back a message that is cancelled or certainly refused, once', async () => {
    const actor = await world.organization();
    const [one] = (await contactsOf(actor, 1)) as [Id<'contact'>];
    await send(
      actor,
      many(4, () => ({ contactId: one })),
    );
    const [first] = await bulk.messages(actor);
    if (!first) throw new Error('nothing was stored');
    await bulk.one.cancel(actor, first.id);
    world.provider.script = [{ kind: 'refused', cause: 'content', detail: 'no' }];
    await bulk.settle();
    expect(await countedOf([one])).toEqual([2]);
  });

  test('refuses a message whose contact is gone by then, and accepts the others', async () => {
    const actor = await world.organization();
    const [one, two] = (await contactsOf(actor, 2)) as [Id<'contact'>, Id<'contact'>];
    const gone = {
      sentTo: async (ids: readonly Id<'contact'>[]) => {
        await table.write({ delete: KEYS.contact(one) });
        return bulk.store.sentTo(ids);
      },
    };
    const answer = accepted(await send(actor, toEach([one, two]), WEEKLY, gone));
    expect(answer).toMatchObject({ accepted: 1, errors: [{ index: 0 }] });
    expect(await countedOf([one, two])).toEqual([0, 1]);
  });
});
