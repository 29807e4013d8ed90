import { beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../shared/domain/core/ids.ts';
import { handleReply, type ReplyPorts } from '../../shared/domain/inbound/sms-reply.ts';
import type { ReplyEvent } from '../../shared/domain/message/provider-port.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listReplyPage } from '../../shared/storage/messages/message-lists.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { inboundStage } from './stage.ts';
import { PHONE } from './support.ts';

const PROVIDER = 'twilio';
const stage = await use(inboundStage());
let sent: string;
/** The work that stored replies caused. */
const committed: Publishable[] = [];
const ports: ReplyPorts = {
  ...stage.inbound,
  prices: stage.sends.prices,
  async store(reply, event, inbound) {
    const outcome = await keepReply(stage.world.table, reply, event, inbound);
    if (outcome.kind === 'kept') committed.push(...outcome.work);
    return outcome.kind;
  },
};
beforeEach(async () => {
  committed.length = 0;
  sent = accepted(await stage.send({ route: 'otp' })).id;
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
const handle = async (event: ReplyEvent) => {
  const message = await stage.sends.messageStore.read(parseId('message', event.inReplyTo?.messageId));
  if (!message) throw new Error('there is no such message');
  return handleReply(ports, PROVIDER, message, event);
};
const balance = async () => (await readWallet(stage.world.table, stage.actor.organizationId))?.balance ?? 0;
const totals = async () => {
  const replies = await listReplyPage(stage.world.table, stage.actor.organizationId, {}, { skip: 0, limit: 50 });
  return { replies: replies.total, messages: (await stage.list()).total };
};

describe('SMS replies', () => {
  test('of one contact, 20 concurrently and each delivered twice, are 20 replies, messages and charges; the latest sets its last interaction', async () => {
    const { id } = await stage.create();
    const before = await balance();
    const all = Array.from({ length: 20 }, (_, turn) => aReply(turn));
    const outcomes = await Promise.all([...all, ...all].map(handle));
    expect(outcomes.filter((outcome) => outcome === 'kept')).toHaveLength(20);
    expect(await totals()).toEqual({ replies: 20, messages: 21 });
    expect(await balance()).toBe(before - 20 * 200);
    expect((await stage.contactNow(id)).lastInteractionAt).toBe(stage.at(19 - 100));
    await checkMoney(stage.world.table, stage.actor.organizationId);
  });

  test('with an opt-out word, 20 concurrently, opt the contact out once and are each charged', async () => {
    const { id } = await stage.create();
    const before = await balance();
    const words = Array.from({ length: 20 }, (_, turn) => aReply(turn, { body: 'sair' }));
    await Promise.all(words.map(handle));
    const { version, optIn } = await stage.contactNow(id);
    expect(optIn).toMatchObject({ status: 'denied', revokedReason: 'asked by sms: SAIR' });
    expect(version).toBeGreaterThan(1);
    const events = committed.filter(({ kind }) => kind === 'publish_event').map((item) => PARSE_KEY.event(item));
    const types = (await stage.world.events(events)).map(({ type }) => type);
    expect(types.filter((type) => type === 'contact.opted_out')).toHaveLength(1);
    expect(await balance()).toBe(before - 20 * 200);
    expect(await totals()).toEqual({ replies: 20, messages: 21 });
  });

  test('that the wallet cannot pay are stored and cost nothing', async () => {
    const { ok } = await stage.world.table.write({
      update: KEYS.wallet(stage.actor.organizationId),
      set: { balance: 100 },
    });
    expect(ok).toBe(true);
    expect(await handle(aReply(1))).toBe('kept');
    expect(await totals()).toEqual({ replies: 1, messages: 2 });
    expect(await balance()).toBe(100);
  });

  test.each(['loseAnswer', 'drop', 'internal', 'throttle'] as const)(
    'are charged once when the table fails: %s',
    async (name) => {
      const before = await balance();
      let calls = 0;
      stage.world.proxy.plan(({ action }) =>
        action === 'TransactWriteItems' && calls++ === 0 ? FAULTS[name] : undefined,
      );
      await handle(aReply(1));
      stage.world.proxy.plan(undefined);
      expect(await handle(aReply(1))).toBe('repeated');
      expect(await balance()).toBe(before - 200);
      expect(await totals()).toEqual({ replies: 1, messages: 2 });
    },
  );
});
