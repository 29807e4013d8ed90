import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord, MessageStatus } from '../../shared/domain/message/message.ts';
import type { Release, Settlement } from '../../shared/domain/sending/message-store.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readIdempotencyRecord } from '../../shared/storage/messages/idempotency.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { accepted } from '../support/accepted.ts';
import { premiumPrices } from '../support/channel-plans.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const OPENING = 10_000;
const PRICE = 800;

const world = await use(startWorld('live'));

describe('a message in its store', () => {
  const read = async (id: Id<'message'>) => (await world.ports.messageStore.read(id)) as MessageRecord;
  const money = async ({ organizationId }: MessageRecord) => {
    const wallet = await readWallet(world.table, organizationId);
    return [wallet?.balance, wallet?.held];
  };
  /** A message whose provider has not answered yet, as its sender has it. */
  const underWay = async (): Promise<MessageRecord> => {
    const actor = await world.organization(OPENING);
    const { promise, resolve } = Promise.withResolvers<Id<'message'>>();
    world.provider.script = [
      ({ messageId }) => {
        resolve(messageId);
        return new Promise(() => {});
      },
    ];
    void world.sms(actor, 'key');
    return read(await promise);
  };
  const settlement = (): Settlement => ({
    at: world.now,
    provider: 'infobip',
    providerMessageId: 'p-1',
    decisions: [],
    correlations: [],
    events: [],
  });
  const release = (): Release => ({
    at: world.now,
    lastError: 'refused',
    decisions: [],
    certain: true,
    freeKey: true,
    events: [],
  });
  const settle = (message: MessageRecord) => world.ports.messageStore.settle(message, settlement());
  const refuse = (message: MessageRecord) => world.ports.messageStore.release(message, release());
  const claimExpired = (message: MessageRecord, now = message.deadline) =>
    world.ports.messageStore.claimExpired(message, now, now + 15_000);

  test('is captured once: a repeat succeeds, and a release after it changes nothing', async () => {
    const message = await underWay();
    expect(await settle(message)).toBe(true);
    expect(await settle(message)).toBe(true);
    expect(await refuse(message)).toBe(false);
    expect(await read(message.id)).toMatchObject({ hold: 'captured', status: 'sent' });
    expect(await money(message)).toEqual([OPENING - PRICE, 0]);
  });

  test('is in the due index until it is settled or released', async () => {
    for (const resolve of [settle, refuse]) {
      const message = await underWay();
      const due = async () => Object.keys((await world.table.get(KEYS.message(message.id))) ?? {}).includes('duePk');
      expect(await due()).toBe(true);
      await resolve(message);
      expect(await due()).toBe(false);
    }
  });

  test('fails 90 s after it was created where its provider has no status query, and no ms earlier', async () => {
    world.provider.hasStatusQuery = false;
    for (const [age, status] of [
      [89_999, 'sending'],
      [90_000, 'failed'],
    ] as const) {
      const message = await underWay();
      world.now = message.createdAt + age;
      await recoverSend(world.ports, message.id);
      expect([age, (await read(message.id)).status]).toEqual([age, status]);
    }
    world.provider.hasStatusQuery = true;
  });

  test('is released once: a repeat succeeds, and a capture after it changes nothing', async () => {
    const message = await underWay();
    expect(await refuse(message)).toBe(true);
    expect(await refuse(message)).toBe(true);
    expect(await settle(message)).toBe(false);
    expect(await read(message.id)).toMatchObject({ hold: 'released', status: 'failed' });
    expect(await money(message)).toEqual([OPENING, 0]);
  });

  test('rejects captures and releases under an older fence, also once it was settled', async () => {
    const message = await underWay();
    const taken = (await claimExpired(message)) as MessageRecord;
    expect(taken.fence).toBe(message.fence + 1);
    for (const late of [settle, refuse]) expect(await late(message)).toBe(false);
    expect(await money(message)).toEqual([OPENING - PRICE, PRICE]);
    expect(await settle(taken)).toBe(true);
    for (const late of [settle, refuse]) expect(await late(message)).toBe(false);
    expect(await money(message)).toEqual([OPENING - PRICE, 0]);
  });

  test('is claimed at its deadline and no ms before, by one alone', async () => {
    const message = await underWay();
    expect(await claimExpired(message, message.deadline - 1)).toBeUndefined();
    const taken = await Promise.all([claimExpired(message), claimExpired(message)]);
    const [first, ...more] = taken.filter((one) => one !== undefined);
    expect([first?.fence, more]).toEqual([message.fence + 1, []]);
    // A claim by the earlier read fails also once the new deadline has passed.
    expect(await claimExpired(message, first?.deadline)).toBeUndefined();
  });

  test('keeps its key for 24 hours to the ms', async () => {
    const { organizationId, callerKey, id, createdAt } = await underWay();
    const recorded = (age: number) => readIdempotencyRecord(world.table, organizationId, callerKey, createdAt + age);
    expect(await recorded(24 * 3_600_000 - 1)).toMatchObject({ messageId: id });
    expect(await recorded(24 * 3_600_000)).toBeUndefined();
  });

  test('is not claimed once it is settled or released, nor while it is queued', async () => {
    for (const resolve of [settle, refuse]) {
      const message = await underWay();
      await resolve(message);
      await world.table.write({ update: KEYS.message(message.id), set: { status: 'sending' } });
      expect(await claimExpired(message)).toBeUndefined();
    }
    const queued = await underWay();
    await world.table.write({ update: KEYS.message(queued.id), set: { status: 'queued' } });
    expect(await claimExpired(queued)).toBeUndefined();
  });

  test('frees its own key when it is released, never one that another message took meanwhile', async () => {
    for (const [owner, left] of [
      ['own', undefined],
      ['msg_000000000000000000001', 'msg_000000000000000000001'],
    ] as const) {
      const message = await underWay();
      const key = KEYS.idempotency(message.organizationId, message.callerKey);
      if (owner !== 'own') {
        await world.table.write({ update: key, set: { messageId: owner } });
        // The key is another message's: the release is rejected as a whole.
        expect(await refuse(message)).toBe(false);
      } else expect(await refuse(message)).toBe(true);
      expect((await world.table.get(key))?.messageId).toBe(left);
    }
  });

  test('advances only from the status and time at which it was read', async () => {
    const report = (message: MessageRecord, status: MessageStatus) =>
      world.ports.messageStore.advance(message, {
        at: world.now,
        recordedAt: world.now,
        status,
        decisions: [],
        events: [],
      });
    const message = await underWay();
    await settle(message);
    const sent = await read(message.id);
    expect(await report({ ...sent, status: 'delivered' }, 'failed')).toBe(false);
    expect(await report({ ...sent, updatedAt: sent.updatedAt - 1 }, 'failed')).toBe(false);
    expect(await report(sent, 'delivered')).toBe(true);
    expect(await report(sent, 'failed')).toBe(false);
    expect((await read(message.id)).status).toBe('delivered');
  });

  test('has an id of its own: a second message by the same id is neither stored nor charged', async () => {
    const message = await underWay();
    const outcome = world.ports.messageStore.reserve({
      message: { ...message, callerKey: 'another' },
      requestHash: 'x',
      consent: { recipient: 'phone', recipientHash: message.recipientHash, requiresConsent: true },
      links: [],
    });
    await expect(outcome).rejects.toThrow('changes too often');
    expect(await world.table.get(KEYS.idempotency(message.organizationId, 'another'))).toBeUndefined();
    expect(await money(message)).toEqual([OPENING - PRICE, PRICE]);
  });

  test('never overwrites the short link of another message', async () => {
    const message = await underWay();
    const key = KEYS.link('t000000000');
    await world.table.write({ put: { ...key, url: 'https://theirs.example/' } });
    const outcome = world.ports.messageStore.reserve({
      message: { ...message, id: newId('message'), callerKey: 'linked' },
      requestHash: 'x',
      consent: { recipient: 'phone', recipientHash: message.recipientHash, requiresConsent: true },
      links: [{ code: 't000000000', url: 'https://ours.example/' }],
    });
    await expect(outcome).rejects.toThrow('changes too often');
    expect((await world.table.get(key))?.url).toBe('https://theirs.example/');
  });

  test('under a key in flight is a conflict for another body, without Retry-After', async () => {
    const { organizationId, id } = await underWay();
    const again = (body: string) => world.sms(world.actor(organizationId), 'key', { body });
    const wait = { retryAfterSeconds: 1, meta: { code: 'EM_ANDAMENTO', messageId: id } };
    expect(await again('Oi')).toMatchObject({ name: 'CONFLICT', details: wait });
    const other = await again('Outro');
    expect(isRefusal(other) && [other.name, other.details.meta, other.details.retryAfterSeconds]).toEqual([
      'CONFLICT',
      undefined,
      undefined,
    ]);
  });

  test('of an organization without a wallet is refused for lack of funds', async () => {
    expect(await world.sms(world.actor())).toMatchObject({ name: 'PAYMENT_REQUIRED' });
  });

  test('is priced by the month’s actual volume, though a higher one was estimated', async () => {
    const actor = await world.organization(OPENING * 100);
    world.prices = premiumPrices([2, 100], [10, 70], [null, 40]);
    const coins = [];
    for (const estimate of [20, 20, 5, 20, 0]) {
      world.ports.learnVolume(actor.organizationId, '202603', { taken: estimate, free: [] });
      coins.push(accepted(await world.sms(actor)).billing.coins);
    }
    expect(coins).toEqual([100, 100, 70, 70, 70]);
  });
});
