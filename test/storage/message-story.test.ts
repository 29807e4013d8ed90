import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/actor.ts';
import { messageEventId } from '../../shared/domain/messages/events.ts';
import type { MessageRecord } from '../../shared/domain/messages/message.ts';
import { applySandboxOutcome } from '../../shared/domain/messages/receipts.ts';
import { timelineOf } from '../../shared/domain/messages/timeline.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { deliveriesOfMessage } from '../../shared/storage/message-deliveries.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';
import { listAllMessages } from '../../shared/storage/message-merge.ts';
import { outbox } from '../../shared/storage/outbox.ts';
import { makeWebhook } from '../support/webhook-rows.ts';
import { startWorld, type World } from '../support/world.ts';

describe('what a read costs', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld('test');
  });
  afterAll(() => world.close());

  const send = async (actor: Actor, key: string): Promise<string> => {
    const sent = await sendSms(world.ports, actor, key, { to: '+5511999990005', body: 'Oi', route: 'premium' });
    return (sent as { id: string }).id;
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
    await applySandboxOutcome(world.ports, id);
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
    await applySandboxOutcome(world.ports, id);
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
