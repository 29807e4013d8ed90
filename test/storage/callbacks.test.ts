import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { newId } from '../../shared/domain/ids.ts';
import { type CallbackPorts, takeCallback } from '../../shared/domain/messages/callbacks.ts';
import type { ProviderEvent } from '../../shared/domain/messages/provider.ts';
import { applyReceipt } from '../../shared/domain/messages/receipts.ts';
import type { SmsProvider } from '../../shared/domain/sms/provider.ts';
import { replyIdOf } from '../../shared/domain/sms/replies.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { readSender } from '../../shared/storage/inbound.ts';
import { readWallet } from '../../shared/storage/ledger.ts';
import { readReply } from '../../shared/storage/message-lists.ts';
import { outbox } from '../../shared/storage/outbox.ts';
import { receiptHint } from '../../shared/storage/receipts.ts';
import { keepReply } from '../../shared/storage/replies.ts';
import { checkMoney } from '../support/money.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let ports: CallbackPorts;
let events: ProviderEvent[] = [];
const raised: string[] = [];
const PRICE = 200;

beforeAll(async () => {
  world = await startWorld('live');
  const provider = {
    name: 'infobip',
    readCallback: async () => ({ kind: 'events', events }),
  } as unknown as SmsProvider;
  ports = {
    ...world.ports,
    routing: { provider: async () => provider },
    raise: async () => true,
    hintReceipt: ({ messageId, fingerprint }) => void world.hints.push(receiptHint(messageId, fingerprint)),
    sender: (organizationId, key) => readSender(world.table, organizationId, key),
    links: async () => [],
    keep: async (reply, event, inbound) => {
      const outcome = await keepReply(world.table, reply, event, inbound);
      if (outcome.kind === 'kept') raised.push(...outcome.events);
      return outcome.kind;
    },
    ownersOf: async () => [],
    inbound: async () => 'kept',
    platform: async () => 'unmatched',
    observe: { taken() {}, refused() {}, ignored() {} },
  };
});
afterAll(() => world.close());

let phones = 0;
const send = async (actor: Actor) => {
  const to = `+551199${String(9_100_000 + phones++)}`;
  const sent = await sendSms(world.ports, actor, newId('request'), { to, body: 'Oi', route: 'premium' });
  if (isRefusal(sent)) throw new Error(sent.details.detail);
  return { id: sent.id, to };
};
const take = (...all: ProviderEvent[]) => {
  events = all;
  return takeCallback(
    ports,
    { channel: 'sms', provider: 'infobip' },
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
const typesOf = async (organizationId: string) => {
  const read = await Promise.all(raised.map((id) => outbox(world.table).read(id)));
  return read.flatMap((each) => (each?.event.organizationId === organizationId ? [each.event.type] : []));
};

test('a receipt that comes ten times delivers its message once', async () => {
  const actor = await world.organization(1_000_000);
  const { id, to } = await send(actor);
  const receipt: ProviderEvent = {
    kind: 'receipt',
    providerMessageId: `p-${id}`,
    status: 'delivered',
    receipt: { id: `p-${id}`, type: 'api_message', to, status: 'DELIVERED' },
  };
  await Promise.all(Array.from({ length: 10 }, () => take(receipt)));
  const [parked, ...others] = await world.ports.parkedReceipts(id);
  expect(others).toEqual([]);
  for (let turn = 0; turn < 3; turn++) await applyReceipt(world.ports, id, parked?.fingerprint ?? '');
  expect((await world.ports.journal.read(id))?.status).toBe('delivered');
  expect(world.hints.filter(({ kind, pk }) => kind === 'apply_receipt' && pk.endsWith(id)).length).toBeGreaterThan(0);
});

describe('a reply', () => {
  test('is charged once, at R$ 0.02, and told of once, when it comes 20 times at once', async () => {
    const actor = await world.organization(1_000_000);
    const { id, to } = await send(actor);
    const before = (await readWallet(world.table, actor.organizationId))?.balance ?? 0;
    for (const outcome of await Promise.all(Array.from({ length: 20 }, () => take(replyTo(to)))))
      expect(outcome).toBe('taken');
    const books = await checkMoney(world.table, actor.organizationId);
    expect(books.balance).toBe(before - PRICE);
    expect(books.entries.filter(({ kind }) => kind === 'adjustment')).toMatchObject([{ coins: -PRICE, messageId: id }]);
    expect(await typesOf(actor.organizationId)).toEqual(['sms.received']);
    expect(await readReply(world.table, actor.organizationId, replyIdOf('infobip', `r-${to}`))).toMatchObject({
      inReplyTo: id,
      body: 'Sim',
      coins: PRICE,
    });
  });

  test('that the wallet cannot pay is kept and told of, uncharged', async () => {
    const probe = await world.organization(1_000_000);
    await send(probe);
    const price = 1_000_000 - ((await readWallet(world.table, probe.organizationId))?.balance ?? 0);
    const actor = await world.organization(price + PRICE - 1);
    const { id, to } = await send(actor);
    expect(await take(replyTo(to))).toBe('taken');
    const books = await checkMoney(world.table, actor.organizationId);
    expect(books.balance).toBe(PRICE - 1);
    expect(books.entries.filter(({ kind }) => kind === 'adjustment')).toEqual([]);
    expect(await readReply(world.table, actor.organizationId, replyIdOf('infobip', `r-${to}`))).toMatchObject({
      inReplyTo: id,
      coins: 0,
    });
    expect(await typesOf(actor.organizationId)).toContain('sms.received');
  });
});
