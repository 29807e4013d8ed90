import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { applySandboxReport } from '../../shared/domain/sending/apply-receipt.ts';
import { messageEventId } from '../../shared/domain/tracking/events.ts';
import { timelineOf } from '../../shared/domain/tracking/timeline.ts';
import { outbox } from '../../shared/storage/due-work/outbox.ts';
import { deliveriesOfMessage } from '../../shared/storage/messages/message-deliveries.ts';
import { readMessage } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { makeWebhook } from '../support/webhook-rows.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));

describe('the calls of a read', () => {
  const { callsOf } = world.proxy;
  const send = async (actor: Actor, key: string) => accepted(await world.sms(actor, key, { to: '+5511999990005' })).id;

  test('of a timeline are one row and one query; with webhooks one batch more', async () => {
    const actor = await world.organization(1_000_000, false);
    const id = await send(actor, 'one');
    await applySandboxReport(world.ports, id);
    const timeline = async () => {
      const message = (await readMessage(world.table, actor.organizationId, id)) as MessageRecord;
      return timelineOf(message, await deliveriesOfMessage(world.table, message));
    };
    expect(await callsOf(timeline)).toEqual({ GetItem: 1, Query: 1 });
    await makeWebhook(world.table, actor.organizationId);
    await makeWebhook(world.table, actor.organizationId);
    expect(await callsOf(timeline)).toEqual({ GetItem: 1, Query: 1, BatchGetItem: 1 });
  });

  test('of an event are one row, by an id made of the message and the type', async () => {
    const actor = await world.organization();
    const id = await send(actor, 'two');
    await applySandboxReport(world.ports, id);
    const [found] = await outbox(world.table).readAll([messageEventId(id, 'sms.delivered')]);
    expect(found).toMatchObject({ status: 'fulfilled', value: { event: { type: 'sms.delivered', data: { id } } } });
  });

  test('of a page of messages are the same, however many messages there are', async () => {
    const actor = await world.organization(100_000_000);
    const page = () => listAllMessages(world.reading, actor.organizationId, {}, { skip: 5, limit: 10 });
    for (let at = 0; at < 20; at++) await send(actor, `few-${at}`);
    const few = await callsOf(page);
    for (let at = 0; at < 200; at++) await send(actor, `many-${at}`);
    expect(await callsOf(page)).toEqual(few);
    // The counters of sent messages, those of inbound messages, and the one list that is not empty.
    expect(few).toEqual({ Query: 3, BatchGetItem: 1 });
    expect((await page()).total).toBe(220);
  });
});
