import { afterEach, describe, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { pause } from '../../shared/domain/core/pause.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { PARTS_WAIT_MS } from '../../shared/domain/smpp/assembly.ts';
import { cancelOverSmpp, queryMessage } from '../../shared/domain/smpp/look-up.ts';
import { submitPart } from '../../shared/domain/smpp/parts.ts';
import { readMessageOf } from '../../shared/storage/messages/message-lists.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { Crash, crashEverywhere, crashingTable } from '../support/crashing-table.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { cancelAndForcePortsOf, sendQueuedPortsOf } from '../support/world-queued.ts';
import { duePartsOf, partOf, partsAccount, partsPortsOf, workOffParts } from './parts-kit.ts';

const OPENING = 1_000_000;
const world = await use(startWorld('live'));
afterEach(world.reset);

const readerOf = ({ ports }: Awaited<ReturnType<typeof partsAccount>>) => ({
  ...cancelAndForcePortsOf(world),
  parts: ports.parts,
  readSms: (organizationId: Id<'organization'>, id: Id<'message'>) =>
    readMessageOf(world.table, organizationId, 'sms', id),
});
const setUp = async (coins = OPENING) => {
  const account = await partsAccount(world, coins);
  const reader = readerOf(account);
  return {
    ...account,
    query: (id: string) => queryMessage(reader, account, id),
    cancel: (id: string) => cancelOverSmpp(reader, account, id),
    workOff: () => workOffParts(world, account.ports),
    money: () => checkMoney(world.table, account.organizationId),
  };
};
const waitOut = () => {
  world.now += PARTS_WAIT_MS;
};

describe('parts that stay alone', () => {
  test('wait for a minute from the first, then expire: requested reports are sent, nothing was charged, nothing is held', async () => {
    const { reported, take, query, workOff, money } = await setUp();
    const wants = ['always', 'failure', 'never', 'success'] as const;
    const ids: string[] = [];
    for (const [at, each] of wants.entries()) ids.push(await take(partOf(at + 1, { total: 5, wants: each })));
    world.now += PARTS_WAIT_MS - 1;
    expect([await workOff(), await reported()]).toEqual([0, []]);
    expect(await query(ids[0] ?? '')).toEqual({ state: 1, errorCode: 0 });

    world.now += 1;
    expect(await workOff()).toBe(1);
    expect(await reported()).toEqual([1, 2]);
    for (const id of ids) expect(await query(id)).toMatchObject({ state: 3, errorCode: 4, finalAt: world.now });
    const { messages, balance } = await money();
    expect([messages, balance]).toEqual([[], OPENING]);
    expect(await workOff()).toBe(0);
  });

  test('are not joined by a part that comes too late', async () => {
    const { organizationId, reported, take, workOff } = await setUp();
    await take(partOf(1));
    waitOut();
    await workOff();
    await take(partOf(2));
    waitOut();
    await workOff();
    expect(await reported()).toEqual([1, 2]);
    expect(await messagesOf(world.table, organizationId)).toEqual([]);
  });

  test('are each reported once, also with 254 parts, whichever transaction fails', {
    timeout: 180_000,
  }, async () => {
    const { reported, take } = await setUp();
    for (let number = 1; number < 255; number++)
      await take(partOf(number, { total: 255, text: 'x', wants: 'failure' }));
    waitOut();
    const crashes = await crashEverywhere(world.table, (crashing) =>
      workOffParts(world, partsPortsOf(world, crashing)),
    );
    expect(crashes).toBeGreaterThan(1);
    expect(await reported()).toEqual(Array.from({ length: 254 }, (_, at) => at + 1));
    expect(await duePartsOf(world)).toEqual([]);
  });
});

describe('a message that is refused once it is complete', () => {
  test('is the answer to the part that completed it, which was not taken: it may be repeated, or else the others expire', async () => {
    const { organizationId, reported, submit, take, query, workOff, money } = await setUp(1);
    const first = await take(partOf(1));
    expect(await submit(partOf(2))).toMatchObject({ status: 'insufficient_funds' });
    expect(await query(first)).toEqual({ state: 1, errorCode: 0 });
    await creditWallet(world.table, {
      organizationId,
      env: 'live',
      coins: OPENING,
      description: 'Credit',
      now: world.now,
    });
    await take(partOf(2));
    expect((await money()).messages).toMatchObject([{ status: 'sent' }]);

    const { take: takeOther, submit: submitOther, reported: reportedOther, workOff: workOffOther } = await setUp(1);
    await takeOther(partOf(1));
    await submitOther(partOf(2));
    waitOut();
    await workOffOther();
    expect([await reportedOther(), await reported()]).toEqual([[1], []]);
    await workOff();
  });

  test('by its provider gives the parts back with the hold: the repeat is another message, and the price is paid once', async () => {
    const { submit, take, query, workOff, reported, money } = await setUp();
    world.provider.script = [{ kind: 'refused', cause: 'throttled', detail: 'busy' }];
    const first = await take(partOf(1));
    expect(await submit(partOf(2))).toMatchObject({ status: 'ESME_RTHROTTLED' });
    expect(await query(first)).toEqual({ state: 1, errorCode: 0 });
    const second = await take(partOf(2));
    const { messages, balance } = await money();
    expect(messages.map(({ status }) => status).sort()).toEqual(['failed', 'sent']);
    expect(OPENING - balance).toBe(messages[0]?.coins);
    expect([await query(first), await query(second)]).toEqual([
      { state: 1, errorCode: 0 },
      { state: 1, errorCode: 0 },
    ]);
    waitOut();
    await workOff();
    expect(await reported()).toEqual([]);
  });

  test('by its provider is not sent again by itself, also where its process ends before it answers: the others expire', async () => {
    const { ports, submit, take, workOff, reported } = await setUp();
    world.provider.script = [{ kind: 'refused', cause: 'throttled', detail: 'busy' }];
    await take(partOf(1));
    const read = () => Promise.reject(new Crash());
    await expect(submit(partOf(2), { parts: { ...ports.parts, read } })).rejects.toThrow(Crash);
    waitOut();
    await workOff();
    expect([await reported(), world.provider.dispatched.length]).toEqual([[1], 1]);
  });

  test('by its provider after the parts were due gives them back all the same: they expire when they are due again', async () => {
    const { submit, take, workOff, reported, query } = await setUp();
    const first = await take(partOf(1));
    world.provider.script = [
      async () => {
        waitOut();
        expect(await workOff()).toBe(1);
        return { kind: 'refused', cause: 'throttled', detail: 'busy' };
      },
    ];
    expect(await submit(partOf(2))).toMatchObject({ status: 'ESME_RTHROTTLED' });
    waitOut();
    await workOff();
    expect([await reported(), await query(first)]).toMatchObject([[1], { state: 3 }]);
  });

  test('when its process has ended expires with all of its parts, since none was reported', async () => {
    const { ports, submit, take, workOff, reported, money } = await setUp(1);
    await take(partOf(1));
    const reserve = () => Promise.reject(new Crash());
    await expect(submit(partOf(2), { messageStore: { ...ports.messageStore, reserve } })).rejects.toThrow(Crash);
    waitOut();
    await workOff();
    expect([await reported(), await duePartsOf(world), (await money()).messages]).toEqual([[1, 2], [], []]);
  });

  test('by its provider is the answer to a repeat that came while that was called, too', async () => {
    const { submit, take } = await setUp();
    const refused = { kind: 'refused', cause: 'throttled', detail: 'busy' } as const;
    let repeated: ReturnType<typeof submit> | undefined;
    await take(partOf(1));
    world.provider.script = [
      async () => {
        repeated = submit(partOf(2));
        await Promise.race([repeated, pause(300)]);
        return refused;
      },
      refused,
    ];
    const first = await submit(partOf(2));
    expect([first, await repeated]).toMatchObject([{ status: 'ESME_RTHROTTLED' }, { status: 'ESME_RTHROTTLED' }]);
  });

  test('for want of money is room for the repeat: what was refused counts no more', async () => {
    const { organizationId, submit, take } = await setUp(1);
    const [one, other] = ['a'.repeat(5_000), 'b'.repeat(5_000)];
    await take(partOf(1, { text: one }));
    expect(await submit(partOf(2, { text: other }))).toMatchObject({ status: 'insufficient_funds' });
    const credit = { organizationId, env: 'live', coins: OPENING, description: 'Credit', now: world.now } as const;
    await creditWallet(world.table, credit);
    await take(partOf(2, { text: other }));
  });

  test('is room for the repeat: what was refused counts no more', async () => {
    const { submit, take } = await setUp();
    world.provider.script = [{ kind: 'refused', cause: 'throttled', detail: 'busy' }];
    const [one, other] = ['a'.repeat(5_000), 'b'.repeat(5_000)];
    await take(partOf(1, { text: one }));
    expect(await submit(partOf(2, { text: other }))).toMatchObject({ status: 'ESME_RTHROTTLED' });
    await take(partOf(2, { text: other }));
  });
});

describe('the times of a message in parts', () => {
  const HOUR = 3_600_000;
  test('are those of its first part: it waits for its time, and is found and cancelled by each part', async () => {
    const { organizationId, take, query, cancel, money } = await setUp();
    const deliverAt = world.now + HOUR;
    const second = await take(partOf(2, { deliverAt: deliverAt + HOUR, schedule: 'other' }));
    const first = await take(
      partOf(1, { deliverAt, schedule: '000000010000000R', validUntil: deliverAt + HOUR, validity: 'v' }),
    );
    const [message] = await messagesOf(world.table, organizationId);
    expect(message).toMatchObject({ status: 'queued', scheduledAt: deliverAt, validUntil: deliverAt + HOUR });
    expect(await query(first)).toEqual({ state: 1, errorCode: 0 });
    expect(await cancel(second)).toBe(true);
    expect([await query(first), await query(second)]).toMatchObject([{ state: 4 }, { state: 4 }]);
    expect(await cancel(first)).toBe(false);
    expect((await money()).balance).toBe(OPENING);
  });

  test('and it leaves then, once', async () => {
    const { organizationId, take, query } = await setUp();
    const deliverAt = world.now + HOUR;
    const first = await take(partOf(1, { deliverAt, schedule: 's' }));
    await take(partOf(2, { deliverAt, schedule: 's' }));
    world.now = deliverAt;
    const [message] = await messagesOf(world.table, organizationId);
    await sendQueued(sendQueuedPortsOf(world), message?.id ?? newId('message'));
    expect(await query(first)).toMatchObject({ state: 1 });
    expect(world.provider.dispatched).toHaveLength(1);
  });
});

describe('a message whose parts are not all there', () => {
  test('is cancelled by any of them: requested reports are sent, and later parts belong to another message', async () => {
    const { reported, take, query, cancel, workOff, organizationId } = await setUp();
    const first = await take(partOf(1));
    expect(await cancel(first)).toBe(true);
    expect(await cancel(first)).toBe(false);
    expect(await reported()).toEqual([1]);
    expect(await query(first)).toEqual({ state: 4, errorCode: 0, finalAt: world.now });
    expect(await take(partOf(1))).toBe(first);
    await take(partOf(2));
    expect(await messagesOf(world.table, organizationId)).toEqual([]);
    waitOut();
    await workOff();
    expect(await reported()).toEqual([1, 2]);
  });

  test('is not sent any more once it was cancelled, at the latest in the transaction that would take the money', async () => {
    const { ports, take, cancel, query, money } = await setUp();
    const first = await take(partOf(1));
    const { reserve } = ports.messageStore;
    const second = await take(partOf(2), {
      messageStore: {
        ...ports.messageStore,
        async reserve(reservation) {
          await cancel(first);
          return reserve(reservation);
        },
      },
    });
    const { messages, balance } = await money();
    expect([messages, balance, world.provider.dispatched]).toEqual([[], OPENING, []]);
    expect([await query(first), await query(second)]).toMatchObject([{ state: 4 }, { state: 4 }]);
  });

  test('is neither found nor cancelled by another organization, nor by the id of a part that it cannot have', async () => {
    const mine = await setUp();
    const theirs = await setUp();
    const id = await mine.take(partOf(1));
    expect([await theirs.query(id), await theirs.cancel(id)]).toEqual([undefined, false]);
    for (const none of [id.replace(/1$/, '3'), id.replace(/1$/, '0'), `${id}_1`, id.replace(/_1$/, '')])
      expect([await mine.query(none), await mine.cancel(none)]).toEqual([undefined, false]);
    expect(await mine.query(id)).toEqual({ state: 1, errorCode: 0 });
  });
});

describe('a process that ends between any two calls of the table while the last part comes', () => {
  /** Resolves what a sender left open, as recovery does after its deadline. */
  const recover = async (organizationId: Id<'organization'>) => {
    world.now += 31_000;
    for (const { id, hold } of await messagesOf(world.table, organizationId))
      if (hold === 'open') await recoverSend(world.ports, id);
  };

  test.each([
    ['repeats the part', true],
    ['gives up', false],
  ])('leaves a message that ends once where its peer %s', { timeout: 120_000 }, async (_, repeats) => {
    const ends: string[] = [];
    for (let calls = 0, ended = false; !ended; calls++) {
      world.provider.dispatched.length = 0;
      const { organizationId, account, reported, take, query, workOff, money } = await setUp();
      const first = await take(partOf(1));
      const crashing = partsPortsOf(world, crashingTable(world.table, calls));
      const outcome = await submitPart(crashing, { env: 'live' }, account, partOf(2)).catch((error: unknown) => error);
      if (!(outcome instanceof Crash)) {
        expect(outcome).toMatchObject({ kind: 'sent' });
        ended = true;
      }
      await recover(organizationId);
      const again = repeats ? await take(partOf(2)) : undefined;
      for (let turn = 0; turn < 3; turn++) {
        world.now += PARTS_WAIT_MS;
        await workOff();
        await recover(organizationId);
      }
      const { messages, balance } = await money();
      const captured = messages.filter(({ hold }) => hold === 'captured');
      expect([calls, captured.length + (await reported()).length]).toEqual([calls, 1]);
      expect(OPENING - balance).toBe(captured[0]?.coins ?? 0);
      expect(world.provider.dispatched).toHaveLength(captured.length);
      const state = (await query(first))?.state;
      expect(again === undefined ? state : (await query(again))?.state).toBe(state);
      expect(await duePartsOf(world)).toEqual([]);
      ends.push(captured.length > 0 ? 'sent' : 'expired');
    }
    expect(new Set(ends)).toEqual(new Set(repeats ? ['sent'] : ['expired', 'sent']));
  });

  test('or while its provider is called: what was never sent is abandoned, the parts are answered as before, and do not expire', async () => {
    const { organizationId, take, submit, reported, query, workOff, money } = await setUp();
    const first = await take(partOf(1));
    world.provider.script = [() => Promise.reject(new Crash())];
    await expect(submit(partOf(2))).rejects.toThrow(Crash);
    waitOut();
    await workOff();
    expect(await duePartsOf(world)).toEqual([]);
    world.now += 30_000;
    world.provider.accepted.clear();
    for (const { id } of await messagesOf(world.table, organizationId)) await recoverSend(world.ports, id);
    await workOff();
    const { messages, balance } = await money();
    expect([messages.map(({ reason }) => reason), balance, await reported()]).toEqual([['abandoned'], OPENING, []]);
    expect(await query(first)).toMatchObject({ state: 7, errorCode: 6 });
    expect(await duePartsOf(world)).toEqual([]);
  });
});
