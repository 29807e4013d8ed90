import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { CallbackPorts } from '../../shared/domain/inbound/callback-ports.ts';
import { handleCallback } from '../../shared/domain/inbound/provider-callback.ts';
import { replyIdOf } from '../../shared/domain/inbound/sms-reply.ts';
import type { ProviderEvent } from '../../shared/domain/message/provider-port.ts';
import { readSender } from '../../shared/storage/messages/inbound.ts';
import { readLastSent } from '../../shared/storage/messages/last-sent.ts';
import { readReply } from '../../shared/storage/messages/message-lists.ts';
import { receiptWorkItem } from '../../shared/storage/messages/receipts.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { readWallet } from '../../shared/storage/wallet/read-wallet.ts';
import { accepted } from '../support/accepted.ts';
import { eventIdsOf } from '../support/ids.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

let events: ProviderEvent[] = [];
const raised: Id<'event'>[] = [];
const PRICE = 200;

const world = await use(startWorld('live'));
const ports: CallbackPorts = {
  ...world.ports,
  readerOf: async () => ({ readCallback: async () => ({ kind: 'events', events }) }),
  keepEarlyReceipt: async () => 'kept',
  interacted: async () => undefined,
  raise: async () => true,
  enqueueReceipt: (message, receipt) => void world.workItems.push(receiptWorkItem(message, receipt)),
  phoneOfUser: async () => undefined,
  sender: (organizationId, key) => readSender(world.table, organizationId, key),
  links: async () => [],
  store: async (reply, event, inbound) => {
    const outcome = await keepReply(world.table, reply, event, inbound);
    if (outcome.kind === 'kept') raised.push(...eventIdsOf(outcome.work));
    return outcome.kind;
  },
  lastSent: readLastSent(world.table),
  ownersOf: async () => [],
  optOut: async () => undefined,
  inbound: async () => 'kept',
  replyPart: async () => 'pending',
  applyMetaEvent: async () => 'unmatched',
  observe: { handled() {}, refused() {}, ignored() {} },
};

let phones = 0;
const send = async (actor: Actor) => {
  const to = `+551199${String(9_100_000 + phones++)}`;
  return { id: accepted(await world.sms(actor, newId('request'), { to })).id, to };
};
const take = (...all: ProviderEvent[]) => {
  events = all;
  return handleCallback(
    ports,
    { provider: 'infobip', kind: 'receipts' },
    { url: 'https://messaging.example', headers: {}, body: '' },
  );
};
const replyTo = (to: string): ProviderEvent => ({
  kind: 'reply',
  providerReplyId: `r-${to}`,
  from: to,
  to: '28900',
  body: 'Sim',
  at: world.now,
});
const typesOf = async (organizationId: string) =>
  (await world.events(raised)).flatMap((event) => (event.organizationId === organizationId ? event.type : []));

test('a receipt of a settled message that is posted ten times concurrently is delivered once, before the answer', async () => {
  const actor = await world.organization();
  const { id, to } = await send(actor);
  const receipt: ProviderEvent = {
    kind: 'receipt',
    providerMessageId: `p-${id}`,
    status: 'delivered',
    receipt: { id: `p-${id}`, type: 'api_message', to, status: 'DELIVERED' },
  };
  await Promise.all(Array.from({ length: 10 }, () => take(receipt)));
  const message = await world.ports.messageStore.read(id);
  expect(message?.status).toBe('delivered');
  expect(message?.decisions.filter(({ kind }) => kind === 'receipt')).toHaveLength(1);
  expect(await world.ports.pendingReceipts(id)).toEqual([]);
});

describe('a reply', () => {
  test('is charged once, at R$ 0.02, and raises one event, when it is posted 20 times concurrently', async () => {
    const actor = await world.organization();
    const { id, to } = await send(actor);
    const before = (await readWallet(world.table, actor.organizationId))?.balance ?? 0;
    for (const outcome of await Promise.all(Array.from({ length: 20 }, () => take(replyTo(to)))))
      expect(outcome).toBe('handled');
    const { balance, entries } = await checkMoney(world.table, actor.organizationId);
    expect(balance).toBe(before - PRICE);
    expect(entries.filter(({ kind }) => kind === 'adjustment')).toMatchObject([{ coins: -PRICE, messageId: id }]);
    expect(await typesOf(actor.organizationId)).toEqual(['sms.received']);
    expect(await readReply(world.table, actor.organizationId, replyIdOf('infobip', `r-${to}`))).toMatchObject({
      inReplyTo: id,
      body: 'Sim',
      coins: PRICE,
    });
  });

  test('that the wallet cannot pay is kept and raises its event, uncharged', async () => {
    const probe = await world.organization();
    await send(probe);
    const price = 1_000_000 - ((await readWallet(world.table, probe.organizationId))?.balance ?? 0);
    const actor = await world.organization(price + PRICE - 1);
    const { id, to } = await send(actor);
    expect(await take(replyTo(to))).toBe('handled');
    const { balance, entries } = await checkMoney(world.table, actor.organizationId);
    expect(balance).toBe(PRICE - 1);
    expect(entries.filter(({ kind }) => kind === 'adjustment')).toEqual([]);
    expect(await readReply(world.table, actor.organizationId, replyIdOf('infobip', `r-${to}`))).toMatchObject({
      inReplyTo: id,
      coins: 0,
    });
    expect(await typesOf(actor.organizationId)).toContain('sms.received');
  });
});
