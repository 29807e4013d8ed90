import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { handleReply, type ReplyPorts } from '../../shared/domain/inbound/sms-reply.ts';
import type { ReplyEvent } from '../../shared/domain/message/provider-port.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listReplyPage } from '../../shared/storage/messages/message-lists.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { readWallet } from '../../shared/storage/wallet/ledger.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { PHONE } from './support.ts';

const PROVIDER = 'twilio';
const stage = await use(inboundStage());
let ports: ReplyPorts;
let actor: Actor;
let sent: string;
beforeAll(async () => {
  ports = {
    ...stage.inbound,
    prices: stage.sends.prices,
    messageStore: stage.sends.messageStore,
    globalRecipientHash: stage.sends.globalRecipientHash,
    correlate: async () => undefined,
    store: async (reply, event, inbound) => (await keepReply(stage.world.table, reply, event, inbound)).kind,
  };
});
beforeEach(async () => {
  actor = await stage.fresh();
  const view = await stage.send({ route: 'otp' });
  if (isRefusal(view)) throw new Error(view.details.detail);
  sent = view.id;
});

const aReply = (turn: number, fields: Partial<ReplyEvent> = {}): ReplyEvent => ({
  kind: 'reply',
  providerReplyId: `${sent} ${turn}`,
  inReplyTo: { messageId: sent },
  from: PHONE,
  to: '28908',
  body: `Resposta ${turn}`,
  at: stage.at(turn - 100),
  ...fields,
});
const take = (event: ReplyEvent) => handleReply(ports, PROVIDER, event);
const balance = async () => (await readWallet(stage.world.table, actor.organizationId))?.balance ?? 0;
const totals = async () => {
  const replies = await listReplyPage(stage.world.table, actor.organizationId, {}, { skip: 0, limit: 50 });
  return { replies: replies.total, messages: (await stage.list()).total };
};

describe('SMS replies', () => {
  test('of one contact, 20 at once and each of them twice, are 20 replies, messages and charges; the last is its last interaction', async () => {
    const { id } = await stage.create();
    const before = await balance();
    const all = Array.from({ length: 20 }, (_, turn) => aReply(turn));
    const outcomes = await Promise.all([...all, ...all].map(take));
    expect(outcomes.filter((outcome) => outcome === 'kept')).toHaveLength(20);
    expect(await totals()).toEqual({ replies: 20, messages: 21 });
    expect(await balance()).toBe(before - 20 * 200);
    expect((await stage.contactNow(id)).lastInteractionAt).toBe(stage.at(19 - 100));
    await checkMoney(stage.world.table, actor.organizationId);
  });

  test('that ask to stop, 20 at once, take the contact out once, and each is charged all the same', async () => {
    const { id } = await stage.create();
    const before = await balance();
    const words = Array.from({ length: 20 }, (_, turn) => aReply(turn, { body: 'sair' }));
    await Promise.all(words.map(take));
    const { version, optIn } = await stage.contactNow(id);
    expect(optIn).toMatchObject({ status: 'denied', revokedReason: 'asked by sms: SAIR' });
    expect(version).toBeGreaterThan(1);
    expect(await balance()).toBe(before - 20 * 200);
    expect(await totals()).toEqual({ replies: 20, messages: 21 });
  });

  test('that the wallet cannot pay are kept, and cost nothing', async () => {
    const poor = await stage.world.table.write({
      update: KEYS.wallet(actor.organizationId),
      set: { balance: 100 },
    });
    expect(poor.ok).toBe(true);
    expect(await take(aReply(1))).toBe('kept');
    expect(await totals()).toEqual({ replies: 1, messages: 2 });
    expect(await balance()).toBe(100);
  });

  test.each(['loseAnswer', 'drop', 'internal', 'throttle'] as const)(
    'are charged once over a table that fails: %s',
    async (name) => {
      const before = await balance();
      let calls = 0;
      stage.world.proxy.plan(({ action }) =>
        action === 'TransactWriteItems' && calls++ === 0 ? FAULTS[name] : undefined,
      );
      await take(aReply(1));
      stage.world.proxy.plan(undefined);
      expect(await take(aReply(1))).toBe('repeated');
      expect(await balance()).toBe(before - 200);
      expect(await totals()).toEqual({ replies: 1, messages: 2 });
    },
  );
});
