import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import { listReplyPage, readReply } from '../../shared/storage/messages/message-lists.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { readLedger } from '../../shared/storage/wallet/ledger.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const PRICE = 200;

const world = await use(startWorld('live'));

describe('a reply that is kept', () => {
  const replyTo = ({ organizationId }: Actor): ReplyRecord => ({
    id: newId('reply'),
    organizationId,
    env: 'live',
    inReplyTo: newId('message'),
    route: 'premium',
    from: '+5511999990005',
    body: 'Sim',
    coins: asCoins(PRICE),
    receivedAt: world.now,
    createdAt: world.now,
  });
  const keep = (reply: ReplyRecord) => {
    const { organizationId, env, createdAt } = reply;
    const event = newEvent({ type: 'sms.received', organizationId, env, createdAt, data: { id: reply.id } });
    return keepReply(world.table, reply, event);
  };
  const ledger = async ({ organizationId }: Actor) => {
    const wallet = await readWallet(world.table, organizationId);
    const { lines } = await readLedger(world.table, organizationId, 50);
    const charged = lines.filter(({ kind }) => kind === 'adjustment').map(({ coins }) => coins);
    return { balance: wallet?.balance, replies: wallet?.wallet.replies, charged };
  };

  test('is charged once however often it is received, also concurrently', async () => {
    const actor = await world.organization();
    const reply = replyTo(actor);
    const kept = await Promise.all(Array.from({ length: 5 }, () => keep(reply)));
    expect(kept.map(({ kind }) => kind).sort()).toEqual(['kept', ...Array(4).fill('repeated')]);
    expect((await keep(reply)).kind).toBe('repeated');
    expect(await ledger(actor)).toEqual({ balance: 1_000_000 - PRICE, replies: 1, charged: [-PRICE] });
  });

  test.each([
    ['that covers it to the last coin', PRICE, [-PRICE], 0],
    ['that is one coin short', PRICE - 1, [], PRICE - 1],
  ])('is kept by a wallet %s', async (_, opening, charged, balance) => {
    const actor = await world.organization(opening);
    const reply = replyTo(actor);
    expect((await keep(reply)).kind).toBe('kept');
    expect(await ledger(actor)).toEqual({ balance, replies: 1, charged });
    expect(await readReply(world.table, actor.organizationId, reply.id)).toMatchObject({
      body: 'Sim',
      coins: charged.length > 0 ? PRICE : 0,
    });
  });

  test('is neither read nor listed by another organization, by any filter', async () => {
    const [owner, other] = [await world.organization(1_000), await world.organization(1_000)];
    const reply = replyTo(owner);
    await keep(reply);
    expect(await readReply(world.table, other.organizationId, reply.id)).toBeUndefined();
    const page = { skip: 0, limit: 50 };
    for (const filter of [{}, { inReplyTo: reply.inReplyTo }])
      expect(await listReplyPage(world.table, other.organizationId, filter, page)).toEqual({ items: [], total: 0 });
    const own = { inReplyTo: reply.inReplyTo };
    const { items, total } = await listReplyPage(world.table, owner.organizationId, own, page);
    expect([items.map(({ id }) => id), total]).toEqual([[reply.id], 1]);
  });
});
