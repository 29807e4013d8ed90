import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { startMessaging } from '../support/api.ts';
import { operatorJson } from '../support/operator.ts';
import { startReceiver } from '../support/receiver.ts';
import { use } from '../support/use.ts';

const PATIENCE = { timeout: 45_000, interval: 250 };
const EVENTS = 12;
const PLACE = ['--env', 'test', '--queue', 'webhook'];

// The dispatcher runs once, at the start: later work is found by its queue message only.
const messaging = await use(startMessaging({ dispatchSeconds: 3_600, retrySeconds: () => 0 }));
const receiver = await use(startReceiver());
const sqs = new SQSClient({ endpoint: messaging.sqsEndpoint });
afterAll(() => sqs.destroy());
const owner = await messaging.tenant();
const webhookId = (await owner.test.post('/webhooks', { url: receiver.url, events: ['contact.created'] })).body.id;

/** The operator's commands beside the running service. */
const admin = operatorJson(messaging.dataDir);
const queueRow = async () => (await admin('queue', 'list', ...PLACE)).items[0];

const deliveries = async (): Promise<{ id: Id<'delivery'>; status: string; attempts: object[] }[]> =>
  (await owner.test.get(`/webhooks/${webhookId}/deliveries`, { limit: 200 })).body.items;
const ids = async (): Promise<Id<'delivery'>[]> => (await deliveries()).map(({ id }) => id);

const toDeadLetters = async (bodies: readonly string[]): Promise<void> => {
  const QueueUrl = messaging.queues.test.webhook?.deadLetterUrl;
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((MessageBody, at) => ({ Id: String(at), MessageBody }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
};
const workItemOf = (id: Id<'delivery'>) => JSON.stringify({ kind: 'deliver_webhook', ...KEYS.delivery(id) });
const queueDrained = () =>
  expect.poll(queueRow, PATIENCE).toMatchObject({ waiting: 0, inFlight: 0, delayed: 0, deadLetters: 0 });

for (let at = 0; at < EVENTS; at++)
  await owner.test.post('/contacts', { phone: `+55119876541${String(at).padStart(2, '0')}` });
await vi.waitFor(async () => {
  expect((await deliveries()).filter(({ status }) => status === 'delivered')).toHaveLength(EVENTS);
}, PATIENCE);

describe('dead letters of the webhook queue', { timeout: 180_000 }, () => {
  test('of delivered events are redriven without a second request or attempt', async () => {
    expect(receiver.events()).toHaveLength(EVENTS);
    const before = await deliveries();
    const workItems = (await ids()).map(workItemOf);
    await toDeadLetters([...workItems, ...workItems]);
    expect(await queueRow()).toMatchObject({ waiting: 0, deadLetters: 2 * EVENTS });
    const peeked = (await admin('queue', 'peek', ...PLACE, '--max', '3')).items;
    for (const { body } of peeked) expect(workItems).toContain(body);
    expect(peeked).toHaveLength(3);
    expect(await admin('queue', 'redrive', ...PLACE)).toMatchObject({ moved: 2 * EVENTS });
    await queueDrained();
    expect(receiver.events()).toHaveLength(EVENTS);
    expect(await deliveries()).toEqual(before);
  });

  test('of pending deliveries are delivered once by a redrive, with the same id and bytes', async () => {
    const open = parseId('delivery', (await ids())[0]);
    const store = deliveryStore(messaging.tables.test);
    const delivery = await store.read(open);
    if (!delivery) throw new Error('there is no such delivery');
    expect(await store.replay(delivery, Date.now())).toMatchObject({ status: 'pending' });
    const workItems = (await ids()).map(workItemOf);
    await toDeadLetters([...workItems, workItemOf(open)]);
    expect(await admin('queue', 'redrive', ...PLACE)).toMatchObject({ moved: EVENTS + 1 });
    await queueDrained();
    await expect.poll(async () => (await store.read(open))?.status, PATIENCE).toBe('delivered');
    const events = receiver.events();
    expect(events).toHaveLength(EVENTS + 1);
    const same = events.filter(({ event }) => event.id === delivery.eventId);
    expect(same).toHaveLength(2);
    expect(same[1]?.body).toBe(same[0]?.body);
    expect(same[1]?.headers['webhook-id']).toBe(same[0]?.headers['webhook-id']);
  });

  test('that cannot be parsed return after a redrive, until the operator purges them', async () => {
    const poison = '{"kind":"nothing of ours"}';
    await toDeadLetters([poison]);
    expect(await admin('queue', 'redrive', ...PLACE)).toMatchObject({ moved: 1 });
    await expect.poll(queueRow, PATIENCE).toMatchObject({ waiting: 0, inFlight: 0, deadLetters: 1 });
    expect((await admin('queue', 'peek', ...PLACE, '--max', '1')).items).toMatchObject([{ body: poison }]);
    expect(await admin('queue', 'purge', ...PLACE)).toMatchObject({ from: 'dlq', purged: 1 });
    expect(await queueRow()).toMatchObject({ waiting: 0, deadLetters: 0 });
    expect(receiver.events()).toHaveLength(EVENTS + 1);
  });
});
