import { afterEach, describe, expect, test } from 'vitest';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { type FrequencyCap, NEVER_SENT } from '../../shared/domain/contacts/frequency.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { type SubmitPorts, submit } from '../../shared/domain/sending/accept.ts';
import { advanceFallback } from '../../shared/domain/sending/advance-fallback.ts';
import { requestKey } from '../../shared/domain/sending/idempotency.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import {
  eraseSentCounts,
  parseSentCounts,
  readSentCounts,
  uniteSentWrites,
} from '../../shared/storage/contacts/sent-counts.ts';
import { messageStore } from '../../shared/storage/messages/message-store.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { checkMoney } from '../support/money.ts';
import { waitAsInvocation } from '../support/patience.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';
import { PLAIN, startWorld } from '../support/world.ts';
import {
  advanceFallbackPortsOf,
  cancelAndForcePortsOf,
  sendQueuedPortsOf,
  submitPortsOf,
} from '../support/world-queued.ts';

const PHONE = '+5511987654321';
const DAY_MS = 24 * 3_600_000;
const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;

/** The ports of another process, which shares no client with others. */
const process = async (): Promise<SubmitPorts> => {
  const client = patient(tableClient(world.proxy.endpoint));
  await use({ close: async () => client.destroy() });
  const own = new Table(client, 'live', waitAsInvocation);
  return { ...submitPortsOf(world), messageStore: messageStore(own, () => {}, PLAIN) };
};

const aContact = async (actor: Actor) => {
  const id = newId('contact');
  await table.write({ put: { ...KEYS.contact(id), org: actor.organizationId } });
  return id;
};
interface Send {
  readonly cap?: FrequencyCap;
  readonly key?: string;
  readonly route?: 'otp' | 'premium';
  readonly ports?: SubmitPorts;
  readonly fallback?: boolean;
}
const send = (
  actor: Actor,
  contactId: Id<'contact'>,
  { cap, key = newId('request'), route = 'premium', ports = submitPortsOf(world), fallback }: Send,
) => {
  const request = { channel: 'sms', to: PHONE, type: 'text', text: 'Oi', contactId, route } as const;
  const steps = fallback ? [{ ...request, afterMs: 60_000 }] : [];
  return submit(ports, actor, { request, steps, key: requestKey(key, 'test', request), frequency: { cap } });
};
const refusalOf = (outcome: Awaited<ReturnType<typeof send>>) =>
  isRefusal(outcome) ? outcome.details.meta : undefined;
const idOf = (outcome: Awaited<ReturnType<typeof send>>) => {
  if (isRefusal(outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.message.id;
};
const countedOf = async (contactId: Id<'contact'>) => {
  const [counts] = await readSentCounts(table, [contactId]);
  return [...(counts?.byHour.values() ?? [])].reduce((sum, sends) => sum + sends, 0);
};
const setUp = async () => {
  const actor = await world.organization(1_000_000);
  return { actor, contactId: await aContact(actor) };
};
const WEEKLY = { messages: 2, days: 7 };

describe('a frequency cap', { timeout: 180_000 }, () => {
  test('holds exactly with twenty processes that send to one contact concurrently', async () => {
    const { actor, contactId } = await setUp();
    const processes = await Promise.all(Array.from({ length: 20 }, process));
    const cap = { messages: 7, days: 3 };
    const outcomes = await Promise.all(processes.map((ports) => send(actor, contactId, { cap, ports })));
    expect(outcomes.filter((outcome) => !isRefusal(outcome))).toHaveLength(7);
    expect(new Set(outcomes.map((outcome) => refusalOf(outcome)?.motivo))).toEqual(
      new Set([undefined, 'frequency_cap']),
    );
    expect(await countedOf(contactId)).toBe(7);
    expect((await checkMoney(table, actor.organizationId, { quiet: false })).messages).toHaveLength(7);
  });

  test('counts the sends of others, with caps of their own or none, and forgets them after its days', async () => {
    const { actor, contactId } = await setUp();
    await send(actor, contactId, { cap: { messages: 9, days: 1 } });
    await send(actor, contactId, {});
    const refused = await send(actor, contactId, { cap: WEEKLY });
    const freeAt = Date.parse(String(refusalOf(refused)?.freeAt));
    expect(freeAt).toBeGreaterThanOrEqual(world.now + 7 * DAY_MS);
    expect(freeAt).toBeLessThanOrEqual(world.now + 7 * DAY_MS + 3_600_000);
    world.now = freeAt - 1;
    expect(refusalOf(await send(actor, contactId, { cap: WEEKLY }))?.motivo).toBe('frequency_cap');
    world.now = freeAt;
    expect(isRefusal(await send(actor, contactId, { cap: WEEKLY }))).toBe(false);
  });

  test('neither refuses nor counts what is transactional, and costs nothing then', async () => {
    const { actor, contactId } = await setUp();
    const cap = { messages: 1, days: 1 };
    for (let sends = 0; sends < 3; sends++)
      expect(isRefusal(await send(actor, contactId, { cap, route: 'otp' }))).toBe(false);
    expect(await table.get(KEYS.sentToContact(contactId))).toBeUndefined();
  });

  test('answers a repeat of a send that used it up as the first time', async () => {
    const { actor, contactId } = await setUp();
    const once = { cap: { messages: 1, days: 1 }, key: 'run 1, step 1, visit 1' };
    const first = await send(actor, contactId, once);
    expect(await send(actor, contactId, once)).toMatchObject({ replayed: true, message: { id: idOf(first) } });
    expect(await countedOf(contactId)).toBe(1);
  });

  test.each([
    ['its answer is lost', { kind: 'lose_answer' } as const],
    ['it meets a conflict', FAULTS.conflict(6)],
  ])('counts a send once when %s', async (_, fault) => {
    const { actor, contactId } = await setUp();
    const ports = await process();
    world.proxy.plan(onTransactions(fault, { last: 0 }));
    expect(isRefusal(await send(actor, contactId, { cap: WEEKLY, ports }))).toBe(false);
    expect(await countedOf(contactId)).toBe(1);
  });

  test('is given back by a message that was cancelled or certainly refused, once, and by no other', async () => {
    const { actor, contactId } = await setUp();
    const cap = { messages: 5, days: 7 };
    const ids: Id<'message'>[] = [];
    for (let sends = 0; sends < 3; sends++) ids.push(idOf(await send(actor, contactId, { cap })));
    const [cancelled, refused, sent] = ids as [Id<'message'>, Id<'message'>, Id<'message'>];
    for (let times = 0; times < 2; times++) await cancel(cancelAndForcePortsOf(world), actor, cancelled);
    world.provider.script = [{ kind: 'refused', cause: 'content', detail: 'no' }];
    for (const id of [refused, refused, sent]) await sendQueued(sendQueuedPortsOf(world), id);
    expect(await countedOf(contactId)).toBe(1);
  });

  test('is kept by a message whose fallback continues in its place, which is not counted again', async () => {
    const { actor, contactId } = await setUp();
    const id = idOf(await send(actor, contactId, { cap: { messages: 1, days: 1 }, fallback: true }));
    world.provider.script = [{ kind: 'refused', cause: 'content', detail: 'no' }];
    await sendQueued(sendQueuedPortsOf(world), id);
    await advanceFallback(advanceFallbackPortsOf(world), id);
    const { messages } = await checkMoney(table, actor.organizationId, { quiet: false });
    expect(messages).toHaveLength(2);
    expect(await countedOf(contactId)).toBe(1);
  });
});

describe('the send counts of a contact', () => {
  test('counts for the contact that it is merged into, despite concurrent sends', async () => {
    const { actor, contactId } = await setUp();
    const stays = await aContact(actor);
    for (const to of [contactId, contactId, stays]) await send(actor, to, {});
    const [gone] = await readSentCounts(table, [contactId]);
    await send(actor, contactId, {});
    const uniting = async (counts = gone) =>
      (await table.transact(uniteSentWrites(contactId, counts ?? parseSentCounts(undefined), stays))).ok;
    expect(await uniting()).toBe(false);
    expect(await uniting((await readSentCounts(table, [contactId]))[0])).toBe(true);
    expect([await countedOf(contactId), await countedOf(stays)]).toEqual([0, 4]);
    await send(actor, contactId, {});
    expect(await uniting(NEVER_SENT)).toBe(false);
  });

  test('is erased with the person', async () => {
    const { actor, contactId } = await setUp();
    await send(actor, contactId, {});
    await eraseSentCounts(table)({ contactId } as Parameters<ReturnType<typeof eraseSentCounts>>[0]);
    expect(await table.get(KEYS.sentToContact(contactId))).toBeUndefined();
  });
});
