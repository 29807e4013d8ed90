import { describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord, MessageStatus } from '../../shared/domain/message/message.ts';
import type { Release, Settlement } from '../../shared/domain/sending/message-store.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readIdempotencyRecord } from '../../shared/storage/messages/idempotency.ts';
import { readWallet } from '../../shared/storage/wallet/ledger.ts';
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
  /** A message whose provider has not answered yet, as its sender holds it. */
  const underWay = async (): Promise<MessageRecord> => {
    const actor = await world.organization(OPENING);
    const { promise, resolve } = Promise.withResolvers<Id<'message'>>();
    world.provider.script = [
      ({ messageId }) => {
        resolve(messageId);
        return new Promise(() => {});
      },
    ];
    void sendSms(world.ports, actor, 'key', { to: '+5511987654321', body: 'Oi', route: 'premium' });
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
  const release = (more: Partial<Release> = {}): Release => ({
    at: world.now,
    lastError: 'refused',
    decisions: [],
    freeKey: true,
    events: [],
    ...more,
  });
  const settle = (message: MessageRecord) => world.ports.messageStore.settle(message, settlement());
  const releaseClaim = (message: MessageRecord) => world.ports.messageStore.release(message, release());
  const claimExpired = (message: MessageRecord, now = message.deadline) =>
    world.ports.messageStore.claimExpired(message, now, now + 15_000);

  test('is captured once: a repeat says so, and a release after it changes nothing', async () => {
    const message = await underWay();
    expect(await settle(message)).toBe(true);
    expect(await settle(message)).toBe(true);
    expect(await releaseClaim(message)).toBe(false);
    expect(await read(message.id)).toMatchObject({ hold: 'captured', status: 'sent' });
    expect(await money(message)).toEqual([OPENING - PRICE, 0]);
  });

  test('leaves nothing due once it is resolved', async () => {
    for (const resolve of [settle, releaseClaim]) {
      const message = await underWay();
      const due = async () => Object.keys((await world.table.get(KEYS.message(message.id))) ?? {}).includes('duePk');
      expect(await due()).toBe(true);
      await resolve(message);
      expect(await due()).toBe(false);
    }
  });

  test('is given up 90 s after it was made where its provider cannot tell, and no ms earlier', async () => {
    world.provider.askable = false;
    for (const [age, status] of [
      [89_999, 'sending'],
      [90_000, 'failed'],
    ] as const) {
      const message = await underWay();
      world.now = message.createdAt + age;
      await recoverSend(world.ports, message.id);
      expect([age, (await read(message.id)).status]).toEqual([age, status]);
    }
    world.provider.askable = true;
  });

  test('is released once: a repeat says so, and a capture after it changes nothing', async () => {
    const message = await underWay();
    expect(await releaseClaim(message)).toBe(true);
    expect(await releaseClaim(message)).toBe(true);
    expect(await settle(message)).toBe(false);
    expect(await read(message.id)).toMatchObject({ hold: 'released', status: 'failed' });
    expect(await money(message)).toEqual([OPENING, 0]);
  });

  test('obeys the raised fence alone: who holds a smaller one neither captures nor releases, also after it was resolved', async () => {
    const message = await underWay();
    const taken = (await claimExpired(message)) as MessageRecord;
    expect(taken.fence).toBe(message.fence + 1);
    for (const late of [settle, releaseClaim]) expect(await late(message)).toBe(false);
    expect(await money(message)).toEqual([OPENING - PRICE, PRICE]);
    expect(await settle(taken)).toBe(true);
    for (const late of [settle, releaseClaim]) expect(await late(message)).toBe(false);
    expect(await money(message)).toEqual([OPENING - PRICE, 0]);
  });

  test('is taken over at its deadline and no ms before, by one alone', async () => {
    const message = await underWay();
    expect(await claimExpired(message, message.deadline - 1)).toBeUndefined();
    const taken = await Promise.all([claimExpired(message), claimExpired(message)]);
    const [first, ...more] = taken.filter((one) => one !== undefined);
    expect([first?.fence, more]).toEqual([message.fence + 1, []]);
    // Who read it before that is late for good, also when the new deadline has passed.
    expect(await claimExpired(message, first?.deadline)).toBeUndefined();
  });

  test('keeps its key for 24 hours to the ms', async () => {
    const { organizationId, callerKey, id, createdAt } = await underWay();
    const recorded = (age: number) => readIdempotencyRecord(world.table, organizationId, callerKey, createdAt + age);
    expect(await recorded(24 * 3_600_000 - 1)).toMatchObject({ messageId: id });
    expect(await recorded(24 * 3_600_000)).toBeUndefined();
  });

  test('is not taken over once it is resolved, nor while it is queued', async () => {
    for (const resolve of [settle, releaseClaim]) {
      const message = await underWay();
      await resolve(message);
      await world.table.write({ update: KEYS.message(message.id), set: { status: 'sending' } });
      expect(await claimExpired(message)).toBeUndefined();
    }
    const queued = await underWay();
    await world.table.write({ update: KEYS.message(queued.id), set: { status: 'queued' } });
    expect(await claimExpired(queued)).toBeUndefined();
  });

  test('released frees its own key, never one that another message took meanwhile', async () => {
    for (const [owner, left] of [
      ['own', undefined],
      ['msg_000000000000000000001', 'msg_000000000000000000001'],
    ] as const) {
      const message = await underWay();
      const key = KEYS.idempotency(message.organizationId, message.callerKey);
      if (owner !== 'own') {
        await world.table.write({ update: key, set: { messageId: owner } });
        // Its own key is no other's: nothing of the release happens.
        expect(await releaseClaim(message)).toBe(false);
      } else expect(await releaseClaim(message)).toBe(true);
      expect((await world.table.get(key))?.messageId).toBe(left);
    }
  });

  test('moves on only from where it was read: another status or another moment is a miss', async () => {
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

  test('is kept under an id of its own: a second message by the same id is stored nowhere and charged nothing', async () => {
    const message = await underWay();
    const outcome = world.ports.messageStore.reserve({
      message: { ...message, callerKey: 'another' },
      requestHash: 'x',
      consent: { recipient: 'phone', recipientHash: message.recipientHash, requiresConsent: true },
      links: [],
    });
    await expect(outcome).rejects.toThrow('moved too fast');
    expect(await world.table.get(KEYS.idempotency(message.organizationId, 'another'))).toBeUndefined();
    expect(await money(message)).toEqual([OPENING - PRICE, PRICE]);
  });

  test('never takes a short link that is another message’s', async () => {
    const message = await underWay();
    const key = KEYS.link('t000000000');
    await world.table.write({ put: { ...key, url: 'https://theirs.example/' } });
    const outcome = world.ports.messageStore.reserve({
      message: { ...message, id: newId('message'), callerKey: 'linked' },
      requestHash: 'x',
      consent: { recipient: 'phone', recipientHash: message.recipientHash, requiresConsent: true },
      links: [{ code: 't000000000', url: 'https://ours.example/' }],
    });
    await expect(outcome).rejects.toThrow('moved too fast');
    expect((await world.table.get(key))?.url).toBe('https://theirs.example/');
  });

  test('under a key in flight is a conflict for another body, which is not told to wait for it', async () => {
    const { organizationId, id } = await underWay();
    const again = (body: string) =>
      sendSms(world.ports, world.actor(organizationId), 'key', { to: '+5511987654321', body, route: 'premium' });
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
    const answer = sendSms(world.ports, world.actor(), 'key', { to: '+5511987654321', body: 'Oi', route: 'premium' });
    expect(await answer).toMatchObject({ name: 'PAYMENT_REQUIRED' });
  });

  test('of a month that is believed to be further on is priced by the month as it stands', async () => {
    const actor = await world.organization(OPENING * 100);
    world.prices = [
      {
        channel: 'sms',
        route: 'premium',
        unit: 'segment',
        bands: [
          { upTo: 2, coins: 100 },
          { upTo: 10, coins: 70 },
          { upTo: null, coins: 40 },
        ],
      },
    ];
    const coins = [];
    for (const believed of [20, 20, 5, 20, 0]) {
      world.ports.learnVolume(actor.organizationId, '202603', believed);
      const sent = await sendSms(world.ports, actor, `after ${coins.length}`, {
        to: '+5511987654321',
        body: 'Oi',
        route: 'premium',
      });
      coins.push(isRefusal(sent) ? sent.name : sent.billing.coins);
    }
    expect(coins).toEqual([100, 100, 70, 70, 70]);
  });
});
