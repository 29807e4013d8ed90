import { afterEach, describe, expect, test } from 'vitest';
import { cancel } from '../../shared/domain/api/cancel-and-force.ts';
import { createMessage } from '../../shared/domain/api/create-message.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { erasedWrite } from '../../shared/storage/messages/message-rows.ts';
import { countChanges } from '../../shared/storage/metrics/count-changes.ts';
import { readOutcomeCounts } from '../../shared/storage/metrics/outcome-counts.ts';
import { readStreamBatch } from '../../shared/storage/metrics/stream-changes.ts';
import { accepted } from '../support/accepted.ts';
import { deliverReport, reportOf, sendOn } from '../support/channel-sends.ts';
import { messagesOf } from '../support/money.ts';
import { countedOutcomes, readStreamOf, recountedOutcomes } from '../support/outcomes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { cancelAndForcePortsOf, sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;
const readStream = await readStreamOf(world);

/** Counts the new records of the stream, each batch twice. */
const countStream = async (): Promise<void> => {
  for (const event of await readStream())
    for (const _ of [1, 2]) await countChanges(table, readStreamBatch(event), world.now);
};

/** The counts of an organization without hours. Expects the counts with hours to equal those of its messages. */
const checked = async (actor: Actor): Promise<Record<string, number>> => {
  await countStream();
  const counted = await countedOutcomes(table, actor.organizationId);
  expect(counted).toEqual(recountedOutcomes(await messagesOf(table, actor.organizationId)));
  return Object.fromEntries(Object.entries(counted).map(([name, value]) => [name.slice(name.indexOf(' ') + 1), value]));
};
let keys = 0;
const send = async (actor: Actor, channel: Channel = 'sms') => {
  keys += 1;
  const before = new Set((await messagesOf(table, actor.organizationId)).map(({ id }) => id));
  await sendOn(channel)(world, actor, `key-${keys}`);
  const sent = (await messagesOf(table, actor.organizationId)).find(({ id }) => !before.has(id));
  if (!sent) throw new Error('nothing was sent');
  return sent;
};
const queue = async (actor: Actor) => {
  keys += 1;
  const body = { channel: 'sms', to: '+5511987654321', type: 'text', payload: { text: 'Oi' } } as const;
  return accepted(await createMessage(submitPortsOf(world), actor, `key-${keys}`, body));
};
const reported = (
  id: Id<'message'>,
  status: Parameters<typeof reportOf>[1],
  more: Parameters<typeof reportOf>[2] = {},
) => deliverReport(world, reportOf(id, status, more));

describe('the metrics of messages', () => {
  test('count each message once, as sent and as reported, whatever is repeated', async () => {
    const actor = await world.organization(1_000_000);
    const { id, coins } = await send(actor);
    expect(await checked(actor)).toEqual({ 'sms sent': 1, 'sms coins': coins });
    for (const _ of [1, 2]) await reported(id, 'delivered');
    expect(await checked(actor)).toEqual({ 'sms sent': 1, 'sms delivered': 1, 'sms coins': coins });
  });

  test('do not count a message that is in flight, or was cancelled or replaced before it was sent', async () => {
    const actor = await world.organization(1_000_000);
    const [one, two] = [await queue(actor), await queue(actor)];
    expect(await checked(actor)).toEqual({});
    accepted(await cancel(cancelAndForcePortsOf(world), actor, one.id));
    const ports = {
      ...submitPortsOf(world),
      readMessage: (organizationId: Id<'organization'>, id: Id<'message'>) => readMessage(table, organizationId, id),
      isUndecided: async () => false,
    };
    const replacement = accepted(await resend(ports, actor, two.id, {}, undefined));
    expect(await checked(actor)).toEqual({});
    await sendQueued(sendQueuedPortsOf(world), replacement.message.id);
    expect(await checked(actor)).toMatchObject({ 'sms sent': 1 });
  });

  test('count a refused message as failed but not sent, an undelivered one as both, each with its reason', async () => {
    const actor = await world.organization(1_000_000);
    world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such number' }];
    await send(actor);
    expect(await checked(actor)).toEqual({ 'sms unsent': 1, 'sms failed invalid_number': 1 });
    const { id, coins } = await send(actor);
    await reported(id, 'undelivered', { reason: 'carrier_rejected' });
    expect(await checked(actor)).toEqual({
      'sms unsent': 1,
      'sms failed invalid_number': 1,
      'sms sent': 1,
      'sms failed carrier_rejected': 1,
      'sms coins': coins,
    });
  });

  test('take back what a later receipt disproves: a delivered e-mail that bounces, a failed message that is read', async () => {
    const actor = await world.organization(1_000_000);
    const mail = await send(actor, 'email');
    await reported(mail.id, 'delivered');
    await reported(mail.id, 'bounced', { reason: 'invalid_address' });
    const { 'email coins': _, ...counts } = await checked(actor);
    expect(counts).toEqual({ 'email sent': 1, 'email failed invalid_address': 1 });
    const chat = await send(actor, 'whatsapp');
    for (const status of ['failed', 'read'] as const) await reported(chat.id, status);
    expect(await checked(actor)).toMatchObject({ 'whatsapp sent': 1, 'whatsapp delivered': 1, 'whatsapp read': 1 });
    expect(await checked(actor)).not.toHaveProperty('whatsapp failed other');
  });

  test('count an indeterminate message that is read after all as sent', async () => {
    const actor = await world.organization(1_000_000);
    world.provider.hasStatusQuery = false;
    world.provider.script = [{ kind: 'unknown', detail: 'time-out' }];
    const { id } = await send(actor, 'whatsapp');
    world.now += 120_000;
    await recoverSend({ ...world.ports }, id);
    expect(await checked(actor)).toMatchObject({ 'whatsapp unsent': 1 });
    await reported(id, 'read');
    expect(await checked(actor)).toEqual({ 'whatsapp sent': 1, 'whatsapp delivered': 1, 'whatsapp read': 1 });
  });

  test('count the cost of an RCS message that was carried by SMS without its refund', async () => {
    const actor = await world.organization(1_000_000);
    const { id } = await send(actor, 'rcs');
    await reported(id, 'delivered', { via: 'sms' });
    const [message] = await messagesOf(table, actor.organizationId);
    const cost = Number(message?.coins) - Number(message?.refunded ?? 0);
    expect(await checked(actor)).toEqual({ 'rcs sent': 1, 'rcs delivered': 1, 'rcs coins': cost });
  });

  test('count a receipt in the hour in which its message was sent, however late it arrives', async () => {
    const actor = await world.organization(1_000_000);
    const { id, sentAt = 0 } = await send(actor);
    world.now += 5 * 3_600_000;
    await reported(id, 'delivered');
    await countStream();
    const hours = await readOutcomeCounts(table, actor.organizationId, { from: 0, to: world.now + 3_600_000 });
    expect(hours.map(({ hour, counts }) => [hour, counts.delivered])).toEqual([[sentAt - (sentAt % 3_600_000), 1]]);
  });

  test('stay the same when a message is erased, and when its row is deleted', async () => {
    const actor = await world.organization(1_000_000);
    const { id } = await send(actor);
    await reported(id, 'delivered');
    const before = await checked(actor);
    const erased = await readMessage(table, actor.organizationId, id);
    expect(await table.write(erasedWrite(erased as MessageRecord, world.now))).toMatchObject({ ok: true });
    expect(await checked(actor)).toEqual(before);
    await table.write({ delete: KEYS.message(id) });
    await countStream();
    const [hour] = await readOutcomeCounts(table, actor.organizationId, { from: 0, to: world.now + 3_600_000 });
    expect(hour?.counts).toMatchObject({ sent: 1, delivered: 1 });
  });

  test('are exact when sixty messages change at once, each twice', async () => {
    const actor = await world.organization(1_000_000);
    const ids = await Promise.all(Array.from({ length: 60 }, async () => (await queue(actor)).id));
    await Promise.all([...ids, ...ids].map((id) => sendQueued(sendQueuedPortsOf(world), id)));
    await Promise.all([...ids, ...ids].map((id) => reported(id, 'delivered')));
    expect(await checked(actor)).toMatchObject({ 'sms sent': 60, 'sms delivered': 60 });
  });
});
