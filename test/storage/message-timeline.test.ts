import { describe, expect, test } from 'vitest';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { applySandboxReport } from '../../shared/domain/sending/apply-receipt.ts';
import { messageEventId } from '../../shared/domain/tracking/events.ts';
import { timelineOf } from '../../shared/domain/tracking/timeline.ts';
import { deliveriesOfMessage } from '../../shared/storage/messages/message-deliveries.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { outbox } from '../../shared/storage/work/outbox.ts';
import { use } from '../support/use.ts';
import { makeWebhook } from '../support/webhook-rows.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));

describe('what a read costs', () => {
  const send = async (actor: Actor, key: string): Promise<Id<'message'>> => {
    const sent = await sendSms(world.ports, actor, key, { to: '+5511999990005', body: 'Oi', route: 'premium' });
    return (sent as { id: Id<'message'> }).id;
  };
  /** The calls that a piece of work makes of the table, by their kind. */
  const callsOf = async (work: () => Promise<unknown>) => {
    const before = new Map(world.proxy.calls);
    await work();
    return Object.fromEntries(
      [...world.proxy.calls]
        .map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)])
        .filter(([, count]) => count),
    );
  };

  test('the story of a message without webhooks is one row and one query; with webhooks one batch more', async () => {
    const actor = await world.organization(1_000_000);
    const id = await send(actor, 'one');
    await applySandboxReport(world.ports, id);
    const story = async () => {
      const message = (await readMessage(world.table, actor.organizationId, id)) as MessageRecord;
      return timelineOf(message, await deliveriesOfMessage(world.table, message));
    };
    expect(await callsOf(story)).toEqual({ GetItem: 1, Query: 1 });
    await makeWebhook(world.table, actor.organizationId);
    await makeWebhook(world.table, actor.organizationId);
    expect(await callsOf(story)).toEqual({ GetItem: 1, Query: 1, BatchGetItem: 1 });
  });

  test('an event of a message lies where its story looks for it', async () => {
    const actor = await world.organization(1_000_000);
    const id = await send(actor, 'two');
    await applySandboxReport(world.ports, id);
    const [found] = await outbox(world.table).readAll([messageEventId(id, 'sms.delivered')]);
    expect(found).toMatchObject({ status: 'fulfilled', value: { event: { type: 'sms.delivered', data: { id } } } });
  });

  test('a page of messages is as many calls, of as many rows, however many messages there are', async () => {
    const actor = await world.organization(100_000_000);
    const page = () => listAllMessages(world.table, actor.organizationId, {}, { skip: 5, limit: 10 });
    for (let at = 0; at < 20; at++) await send(actor, `few-${at}`);
    const few = await callsOf(page);
    for (let at = 0; at < 200; at++) await send(actor, `many-${at}`);
    expect(await callsOf(page)).toEqual(few);
    // The counters of what was sent, those of what came in, and the one list that holds something.
    expect(few).toEqual({ Query: 3, BatchGetItem: 1 });
    expect((await page()).total).toBe(220);
  });
});
