import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { asId, type Id, newId } from '../../shared/domain/core/ids.ts';
import type { CallbackPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { MAX_EARLY_RECEIPTS, matchEarlyReceipts } from '../../shared/domain/inbound/early-receipts.ts';
import { handleCallback } from '../../shared/domain/inbound/provider-callback.ts';
import type { CallbackReader, ReceiptEvent, ReportedStatus } from '../../shared/domain/message/provider-port.ts';
import { applyReceipt } from '../../shared/domain/sending/apply-receipt.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { digest } from '../../shared/storage/key-parts.ts';
import { earlyReceiptStore } from '../../shared/storage/messages/early-receipts.ts';
import { receiptWorkItem } from '../../shared/storage/messages/receipts.ts';
import { isEarlyReceipts, PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { overdue } from '../support/index-entries.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_260_727;
const PHONE = '+5511987654321';
const MINUTE = 60_000;

const world = await use(startWorld('live'));
const store = earlyReceiptStore(world.table);
const effects: string[] = [];
/** The provider names a message by its own id alone, unless a test has it otherwise. */
let reader: Pick<CallbackReader, 'namesOwnIdOnly'> = { namesOwnIdOnly: true };
afterEach(async () => {
  world.now += 10 * MINUTE;
  await work();
  world.reset();
  effects.length = 0;
  reader = { namesOwnIdOnly: true };
});

const PROVIDER = 'infobip';
const observe = {
  handled: (_: string, __: string, effect: string, count: number) => void effects.push(`${effect} ${count}`),
};
const countUnmatched = (_: string, count: number) => void effects.push(`unmatched ${count}`);
const ports = {
  ...world.ports,
  ...store,
  enqueueReceipt: (...of: Parameters<CallbackPorts['enqueueReceipt']>) =>
    void world.workItems.push(receiptWorkItem(...of)),
};
const receipt = (reference: string, status: ReportedStatus, more: Partial<ReceiptEvent> = {}): ReceiptEvent => ({
  kind: 'receipt',
  providerMessageId: reference,
  status,
  receipt: { id: reference, type: 'api_message', to: PHONE, status: status.toUpperCase() },
  ...more,
});
const take = (...events: readonly ReceiptEvent[]) => {
  const callbacks = { ...ports, observe: { ...observe, refused() {}, ignored() {} } } as unknown as CallbackPorts;
  const readerOf = async () => ({ ...reader, readCallback: async () => ({ kind: 'events', events }) as const });
  const request = { url: 'https://messaging.example', headers: {}, body: '' };
  return handleCallback({ ...callbacks, readerOf }, { provider: PROVIDER, kind: 'receipts' }, request);
};
const match = (item: WorkItem) =>
  matchEarlyReceipts(
    { ...ports, countUnmatched, correlate: (...of) => ports.correlate(...of, { consistent: true }) },
    PARSE_KEY.earlyReceipts(item),
  );
/** Works on the receipts that are due, as their queue's consumer does. */
const work = async () => {
  for (const item of await overdue(world.table, 'apply_receipt', world.now, 100)) {
    if (isEarlyReceipts(item)) await match(item);
    else await applyReceipt(ports, PARSE_KEY.receipt(item).messageId, PARSE_KEY.receipt(item).fingerprint);
  }
};
const rowOf = (reference: string) => world.table.get(KEYS.earlyReceipts(PROVIDER, digest(reference)));

/** A send whose provider has the message, and has not answered. */
const underWay = async () => {
  const actor = await world.organization();
  const accept = world.provider.hold();
  const sending = world.sms(actor);
  await expect.poll(() => world.provider.dispatched.length, PATIENCE).toBe(1);
  const id = asId('message', world.provider.dispatched[0]?.messageId) as Id<'message'>;
  const read = () => world.ports.messageStore.read(id);
  await expect.poll(async () => (await read())?.status, PATIENCE).toBe('sending');
  const answer = async () => {
    accept();
    await sending;
  };
  return { id, reference: `p-${id}`, read, answer };
};

describe('a receipt by the provider’s own id', () => {
  test('that comes before the provider’s answer delivers its message seconds after it', async () => {
    const { reference, read, answer } = await underWay();
    expect(await take(receipt(reference, 'delivered'))).toBe('handled');
    expect(effects).toEqual(['pending 1']);
    await answer();
    expect(await read()).toMatchObject({ status: 'sent' });
    world.now += 2_000;
    await work();
    expect(await read()).toMatchObject({ status: 'delivered', providerReceipt: { to: PHONE, status: 'DELIVERED' } });
    expect(await rowOf(reference)).toBeUndefined();
    expect(effects).toEqual(['pending 1']);
  });

  test('that comes after a lost answer, before recovery knows the id, delivers its message then', async () => {
    const actor = await world.organization();
    world.provider.script = [
      ({ messageId }) => {
        world.provider.accepted.add(messageId);
        return { kind: 'unknown', detail: 'no answer' };
      },
    ];
    await world.sms(actor);
    const id = asId('message', world.provider.dispatched[0]?.messageId) as Id<'message'>;
    const answer = await world.provider.queryStatus(id);
    if (answer.kind !== 'accepted') throw new Error(answer.kind);
    await take(receipt(answer.providerMessageId, 'delivered'));
    world.now += 3_000;
    await work();
    expect(await world.ports.messageStore.read(id)).toMatchObject({ status: 'sending', hold: 'open' });
    world.now += 3_000;
    await recoverSend(world.ports, id);
    world.now += 10_000;
    await work();
    expect(await world.ports.messageStore.read(id)).toMatchObject({ status: 'delivered', hold: 'captured' });
  });

  test('and others of the same message, in any order, repeated, and before or after the answer, are all applied', async () => {
    const reports = ['sent', 'delivered', 'sent', 'delivered'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
        fc.constantFrom(0, 2_000, 40_000),
        async (order, ms) => {
          world.reset();
          const { reference, read, answer } = await underWay();
          for (const step of order) {
            const status = reports[step];
            if (status) await take(receipt(reference, status));
            else await (step === 4 ? answer() : work());
            world.now += ms / 10;
          }
          for (let turn = 0; turn < 4; turn++) {
            world.now += MINUTE;
            await work();
          }
          expect(await read()).toMatchObject({ status: 'delivered', hold: 'captured' });
          const kinds = (await read())?.decisions.filter(({ kind }) => kind === 'receipt').map(({ detail }) => detail);
          expect(kinds).toContainEqual('DELIVERED: delivered');
          expect(await rowOf(reference)).toBeUndefined();
        },
      ),
      { seed: SEED, numRuns: 15 },
    );
  });

  test('that comes while others of its id are matched is kept', async () => {
    const { id, reference, read, answer } = await underWay();
    await take(receipt(reference, 'sent'));
    await answer();
    const stale = await store.earlyReceipts({ provider: PROVIDER, referenceHash: digest(reference) });
    // A process that does not see the new row yet.
    const keeping = { now: world.now, dueAt: world.now };
    await store.keepEarlyReceipt(
      { provider: PROVIDER, channel: 'sms', reference },
      receipt(reference, 'delivered'),
      keeping,
    );
    expect(stale && (await store.dropEarlyReceipts(stale))).toBe(false);
    world.now += 2_000;
    await work();
    expect(await read()).toMatchObject({ id, status: 'delivered' });
  });

  test('of another provider than the message’s changes nothing', async () => {
    const { id, reference, read, answer } = await underWay();
    await answer();
    await world.table.write({ put: { ...KEYS.correlation(PROVIDER, 'stray'), messageId: id } });
    await world.table.write({ update: KEYS.message(id), set: { provider: 'twilio' } });
    await take(receipt('stray', 'failed'), receipt(reference, 'failed'));
    world.now += 2_000;
    await work();
    expect(await read()).toMatchObject({ status: 'sent' });
  });
});

describe('receipts of an id that is never ours', () => {
  const stranger = () => `stranger-${newId('request')}`;

  test('are one small row without the phone, tried a few times, then dropped and counted as unmatched', async () => {
    const reference = stranger();
    await take(receipt(reference, 'sent'), receipt(reference, 'delivered'), receipt(reference, 'delivered'));
    expect(JSON.stringify(await rowOf(reference))).not.toContain(PHONE.slice(1));
    effects.length = 0;
    let tries = 0;
    for (let second = 0; second < 600; second++) {
      world.now += 1_000;
      const due = await overdue(world.table, 'apply_receipt', world.now, 100);
      tries += due.length;
      if (due.length > 0) await work();
    }
    expect(tries).toBe(5);
    expect(effects).toEqual(['unmatched 2']);
    expect(await rowOf(reference)).toBeUndefined();
  });

  test('are at most a few, however many come, also concurrently', async () => {
    const reference = stranger();
    const many = Array.from({ length: 40 }, (_, at) => receipt(reference, 'failed', { reason: `reason ${at}` }));
    await take(...many);
    expect((await rowOf(reference))?.receipts).toHaveLength(MAX_EARLY_RECEIPTS);
    expect(effects.sort()).toEqual([`pending ${MAX_EARLY_RECEIPTS}`, `unmatched ${40 - MAX_EARLY_RECEIPTS}`].sort());
  });

  test('are not stored where one is longer than a receipt', async () => {
    const reference = stranger().padEnd(60_000, 'x');
    await take(receipt(reference, 'delivered'));
    expect(effects).toEqual(['unmatched 1']);
    expect(await rowOf(reference)).toBeUndefined();
  });

  test('are not stored where the provider repeats our reference', async () => {
    reader = {};
    const reference = stranger();
    await take(receipt(reference, 'delivered'));
    expect(effects).toEqual(['unmatched 1']);
    expect(await rowOf(reference)).toBeUndefined();
  });
});
