import { afterEach, expect, test } from 'vitest';
import { sendAutomated } from '../../shared/domain/api/automated-send.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { sendQueued } from '../../shared/domain/sending/send-queued.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { readJourneyCounts } from '../../shared/storage/automation/counters.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { readPushChunks } from '../../shared/storage/push/create.ts';
import { openPushDispatch } from '../../shared/storage/push/reads.ts';
import { pushSendStore } from '../../shared/storage/push/send.ts';
import { accepted } from '../support/accepted.ts';
import { aStep, ofJourney, recounted, withoutZeros } from '../support/automated.ts';
import { recipientOn } from '../support/channel-plans.ts';
import { messagesOf } from '../support/money.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { sendQueuedPortsOf, submitPortsOf } from '../support/world-queued.ts';

const world = await use(startWorld('live'));
afterEach(world.reset);
const { table } = world;

const send = async (actor: Actor, automated: ReturnType<typeof ofJourney>) => {
  const request = { channel: 'push', to: recipientOn('push'), text: 'Oi' } as const;
  const { message } = accepted(await sendAutomated(submitPortsOf(world), actor, automated, request));
  await sendQueued(sendQueuedPortsOf(world), message.id);
  return message;
};
const dispatchOf = async (id: Id<'message'>) => {
  const [chunk] = await readPushChunks(table, id);
  const [dispatch] = chunk ? await pushSendStore(table, () => {}).dispatches(chunk) : [];
  if (!dispatch) throw new Error('nothing was sent to a device');
  return dispatch;
};

test('a push of a journey is counted as it is sent or refused, and its first tap as read and clicked, once', async () => {
  const actor = await world.organization(1_000_000);
  const step = aStep({ awaited: true });
  world.provider.script = [{ kind: 'refused', cause: 'recipient', detail: 'no such device' }];
  await send(actor, ofJourney(step, 1));
  const message = await send(actor, ofJourney(step, 2));
  const counts = async () =>
    withoutZeros((await readJourneyCounts(table, step.journeyId, { consistent: true })).get(step.stepId) ?? {});
  expect(await counts()).toEqual(recounted(await messagesOf(table, actor.organizationId)));
  expect(await counts()).toMatchObject({ accepted: 2, unsent: 1, failed: 1, sent: 1, delivered: 1 });

  const due = await overdue(table, 'journey_signal', world.now, 10);
  expect(due.map(PARSE_KEY.runSignal)).toEqual([{ runId: step.runId, messageId: message.id, happening: 'entregue' }]);

  const published: Publishable[] = [];
  const { id, automated } = await dispatchOf(message.id);
  expect(automated).toBe(true);
  const open = () =>
    openPushDispatch(table, actor.organizationId, id, world.now, (items) => void published.push(...items));
  const opened = await Promise.all([open(), open(), open()]);
  expect(opened.filter((each) => each?.counted)).toHaveLength(1);
  expect(await counts()).toMatchObject({ read: 1, clicked: 1 });
  expect(published.map((item) => ({ kind: item.kind, ...PARSE_KEY.runSignal(item) }))).toEqual([
    { kind: 'journey_signal', runId: step.runId, messageId: message.id, happening: 'clicada' },
  ]);
});
