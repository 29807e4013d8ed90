import { beforeEach, describe, expect, test } from 'vitest';
import type { BulkAnswer } from '../../shared/domain/bulk/accept.ts';
import { type BulkResendPorts, bulkResend } from '../../shared/domain/bulk/resend.ts';
import { readBatch } from '../../shared/domain/bulk/send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { many, useBulk } from '../support/bulk-world.ts';
import { crashable } from '../support/crashable-table.ts';

const SMS = 800;
const OPENING = 1_000_000;
const COUNT = 20;
/** Longer than a request resends. */
const TOO_LONG_MS = 19_000;
const KEY = 'repeat';

const { world, bulk } = await useBulk();
beforeEach(world.reset);

type Reserve = BulkResendPorts['messageStore']['reserve'];
const { messageStore } = bulk.bulkResendPorts;

/** Messages that failed, and cost nothing. */
const failures = async (actor: Actor, count = COUNT): Promise<Id<'message'>[]> => {
  const before = new Set((await bulk.messages(actor)).map(({ id }) => id));
  const refused = { kind: 'refused', cause: 'recipient', detail: 'no such number' } as const;
  world.provider.script = Array.from({ length: count }, () => refused);
  accepted(await bulk.send(actor, many(count)));
  await bulk.settle();
  return (await bulk.messages(actor)).map(({ id }) => id).filter((id) => !before.has(id));
};
const failed = async () => {
  const actor = await world.organization(OPENING);
  return { actor, ids: await failures(actor) };
};

const WINDOW = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };
const answerOf = (outcome: Awaited<ReturnType<typeof bulkResend>>): BulkAnswer => accepted(outcome);
const resend = async (
  actor: Actor,
  ids: readonly Id<'message'>[],
  { key, ...over }: Partial<BulkResendPorts> & { readonly key?: string } = {},
) => answerOf(await bulkResend({ ...bulk.bulkResendPorts, ...over }, actor, { items: ids.map((id) => ({ id })) }, key));
const resendFound = async (actor: Actor, found: readonly Id<'message'>[], key: string) =>
  answerOf(
    await bulkResend({ ...bulk.bulkResendPorts, find: async () => found }, actor, { filter: { ...WINDOW } }, key),
  );
const batch = async (actor: Actor, { batchId }: Pick<BulkAnswer, 'batchId'>) =>
  accepted(await readBatch(bulk, actor, batchId));
const reserving = (reserve: Reserve): Partial<BulkResendPorts> => ({ messageStore: { ...messageStore, reserve } });
const unanswered = (): never => {
  throw new Unavailable('the store does not answer');
};

/** Does not answer for the resends of these messages. */
const failingFor =
  (ids: readonly (Id<'message'> | undefined)[]): Reserve =>
  async (one) =>
    ids.includes(one.original?.id) ? unanswered() : messageStore.reserve(one);

/** Throws unless these messages were resent and charged once each, all in this batch, which has them. */
const resentOnce = async (actor: Actor, ids: readonly Id<'message'>[], answer: BulkAnswer) => {
  await bulk.settle();
  const { messages, balance } = await bulk.money(actor);
  const resent = messages.filter(({ replaces }) => replaces !== undefined);
  expect(resent.map(({ replaces }) => replaces).sort()).toEqual([...ids].sort());
  expect(new Set(resent.map(({ batchId }) => batchId))).toEqual(new Set([answer.batchId]));
  expect(balance).toBe(OPENING - ids.length * SMS);
  const { total, accepted: kept, rejected } = answer;
  const stored = await batch(actor, answer);
  expect(stored).toMatchObject({ total, accepted: kept, rejected });
  expect(Object.values(stored.counts).reduce((sum, count) => sum + count, 0)).toBe(ids.length);
};

describe('a bulk resend', { timeout: 180_000 }, () => {
  test('is stored, with none accepted yet, before its first message is resent', async () => {
    const { actor, ids } = await failed();
    const seen: unknown[] = [];
    await resend(
      actor,
      ids,
      reserving(async (reservation) => {
        const { batchId } = reservation.message;
        seen.push(batchId && (await batch(actor, { batchId })));
        return messageStore.reserve(reservation);
      }),
    );
    expect(seen).toHaveLength(COUNT);
    for (const one of seen)
      expect(one).toMatchObject({ total: COUNT, accepted: 0, rejected: 0, counts: { queued: 0 } });
  });

  test('refuses only the messages for which the store did not answer, and names them', async () => {
    const { actor, ids } = await failed();
    const lost = ids[7];
    const answer = await resend(actor, ids, reserving(failingFor([lost])));
    expect(answer).toMatchObject({ total: COUNT, accepted: COUNT - 1, rejected: 1 });
    expect(answer.errors).toMatchObject([{ index: 7, code: 'unavailable' }]);
    await resentOnce(
      actor,
      ids.filter((id) => id !== lost),
      answer,
    );
  });

  test('counts a message as resent if its write was made and only its answer was lost', async () => {
    const { actor, ids } = await failed();
    const answer = await resend(
      actor,
      ids,
      reserving(async (one) => {
        const outcome = await messageStore.reserve(one);
        return one.original?.id === ids[3] ? unanswered() : outcome;
      }),
    );
    expect(answer).toMatchObject({ accepted: COUNT, rejected: 0, errors: [] });
    await resentOnce(actor, ids, answer);
  });
});

describe('a bulk resend with a key', { timeout: 180_000 }, () => {
  test.each([true, false])(
    'that a crash cut short at a write is completed by its repeat, in the same batch; the write was made: %s',
    async (made) => {
      for (const at of [0, 1, 2, 3, 9, COUNT + 1]) {
        const { actor, ids } = await failed();
        const process = crashable(world.table);
        process.crashAt(at, made);
        await expect(resendFound(actor, ids, KEY)).rejects.toThrow();
        process.again();
        const later = await failures(actor, 1);
        const left = (await bulk.messages(actor)).filter(({ batchId, replaces }) => batchId && replaces);
        // The filter would select less by now, and what failed since.
        const repeat = await resendFound(actor, at === 0 && !made ? ids : later, KEY);
        expect(repeat).toMatchObject({ total: COUNT, accepted: COUNT, rejected: 0 });
        for (const { batchId } of left) expect(batchId).toBe(repeat.batchId);
        await resentOnce(actor, ids, repeat);
        expect(await resendFound(actor, [], KEY)).toEqual(repeat);
      }
    },
  );

  test('that is repeated concurrently is one batch, and resends and charges each message once', async () => {
    const { actor, ids } = await failed();
    const answers = await Promise.all(Array.from({ length: 8 }, () => resendFound(actor, ids, KEY)));
    for (const answer of answers) expect(answer).toMatchObject({ ...answers[0], accepted: COUNT, rejected: 0 });
    await resentOnce(actor, ids, answers[0] as BulkAnswer);
  });

  test('that ran out of time resends the rest when it is repeated; what was resent is no error, however slow the repeat', async () => {
    const { actor, ids } = await failed();
    let calls = 0;
    const first = await resend(actor, ids, {
      key: KEY,
      ...reserving(async (reservation) => {
        if (++calls === 10) world.now += TOO_LONG_MS;
        return messageStore.reserve(reservation);
      }),
    });
    expect(first.accepted).toBeGreaterThanOrEqual(10);
    expect(first.rejected).toBeGreaterThan(0);
    let reads = 0;
    const clock = () => world.now + (reads++ === 0 ? 0 : TOO_LONG_MS);
    expect(await resend(actor, ids, { key: KEY, clock })).toEqual(first);
    const last = await resend(actor, ids, { key: KEY });
    expect(last).toEqual({ ...first, accepted: COUNT, rejected: 0, errors: [] });
    await resentOnce(actor, ids, last);
  });

  test('shows the totals of the call before while a repeat resends the rest, and refuses a message that another resend replaced', async () => {
    const { actor, ids } = await failed();
    const first = await resend(actor, ids, { key: KEY, ...reserving(failingFor(ids.slice(-2))) });
    expect(first).toMatchObject({ accepted: COUNT - 2, rejected: 2 });
    accepted(await resend(actor, ids.slice(-1)));
    const seen: unknown[] = [];
    const repeat = await resend(actor, ids, {
      key: KEY,
      ...reserving(async (reservation) => {
        seen.push(await batch(actor, first));
        return messageStore.reserve(reservation);
      }),
    });
    expect(seen).toEqual([expect.objectContaining({ accepted: COUNT - 2, rejected: 2 })]);
    expect(repeat).toMatchObject({ accepted: COUNT - 1, errors: [{ index: COUNT - 1, code: 'conflict' }] });
  });

  test("still counts a message as resent after the message's own key was freed, or the original left the table", async () => {
    const { actor, ids } = await failed();
    const first = await resend(actor, ids, { key: KEY });
    const [one, two] = ids;
    await world.table.write({ delete: KEYS.idempotency(actor.organizationId, `${KEY}\n${one}`) });
    const original = await world.table.get(KEYS.message(two as Id<'message'>));
    await world.table.write({ delete: KEYS.message(two as Id<'message'>) });
    expect(await resend(actor, ids, { key: KEY })).toEqual(first);
    await world.table.putMany(original ? [original] : []);
    await resentOnce(actor, ids, first);
  });

  test('keeps the totals of the call that saw more accepted', async () => {
    const { actor, ids } = await failed();
    const first = await resend(actor, ids, { key: KEY });
    const stale = { ...(await bulk.store.readBatch(first.batchId)), accepted: 1, rejected: COUNT - 1 };
    await bulk.store.recordResent(stale as Parameters<typeof bulk.store.recordResent>[0], ids.slice(0, 1));
    await resentOnce(actor, ids, first);
  });
});
