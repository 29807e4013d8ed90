import { describe, expect, test, vi } from 'vitest';
import { startDynoxide, startFauxqs } from '../../infra/local/engines.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { startMessaging } from '../support/api.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { startReceiver } from '../support/receiver.ts';
import { use } from '../support/use.ts';

const PATIENCE = { timeout: 45_000, interval: 50 };
const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';

interface Batch {
  readonly QueueUrl: string;
  readonly Entries: readonly { readonly MessageBody: string; readonly MessageGroupId?: string }[];
}
/** The published messages, and the queues without a consumer. */
const published: { readonly queue: string; readonly group: string | undefined; readonly item: WorkItem }[] = [];
let blocked = (_queue: string): boolean => false;
const nameOf = (url: string): string => /messaging-\w+?-(.+)$/.exec(url)?.[1] ?? url;

const [tables, queues] = [await startDynoxide(), await startFauxqs()];
await use({ close: () => tables.stop() });
await use({ close: () => queues.stop() });
const proxy = await use(startFaultProxy(queues.endpoint));
proxy.plan(({ action, body }) => {
  if (action === 'ReceiveMessage')
    return blocked(nameOf((JSON.parse(body) as Batch).QueueUrl)) ? { kind: 'drop' } : undefined;
  if (action !== 'SendMessageBatch') return undefined;
  const { QueueUrl, Entries } = JSON.parse(body) as Batch;
  const queue = nameOf(QueueUrl);
  for (const { MessageBody, MessageGroupId: group } of Entries)
    published.push({ queue, group, item: JSON.parse(MessageBody) });
  return undefined;
});
const env = { DYNAMODB_ENDPOINT: tables.endpoint, SQS_ENDPOINT: proxy.endpoint };
const messaging = await use(startMessaging({ env, dispatchSeconds: 3_600 }));

/** A tenant with an endpoint for events; `types` are those that it received. */
const subscribed = async (events: readonly string[]) => {
  const owner = await messaging.tenant();
  const receiver = await use(startReceiver());
  expect((await owner.test.post('/webhooks', { url: receiver.url, events })).status).toBe(201);
  published.length = 0;
  return { owner, types: () => receiver.events().map(({ event }) => event.type) };
};

describe('while no other queue is processed', { timeout: 180_000 }, () => {
  test("a one-time password's outcome reaches the webhook", async () => {
    const { owner, types } = await subscribed(['sms.delivered']);
    blocked = (queue) => !queue.startsWith('critical');
    expect((await owner.test.send({ to: DELIVERED, body: 'Oi', route: 'otp' })).status).toBe(201);
    await vi.waitFor(() => expect(types()).toEqual(['sms.delivered']), PATIENCE);
    expect(published.filter(({ queue }) => !queue.startsWith('critical'))).toEqual([]);
  });

  test('a critical message is sent, falls back, and both outcomes reach the webhook', async () => {
    const { owner, types } = await subscribed(['message.queued', 'sms.failed', 'rcs.delivered']);
    blocked = (queue) => !queue.startsWith('critical');
    const fallback = [{ channel: 'rcs', to: DELIVERED }];
    const request = { channel: 'sms', to: FAILED, text: 'Oi', priority: 'critical', fallback, fallback_after: '2h' };
    const sent = await owner.test.post('/v1/messages', request, { 'idempotency-key': 'critical' });
    expect(sent.body, sent.text).toMatchObject({ status: 'queued' });
    await vi.waitFor(() => expect(types()).toEqual(expect.arrayContaining(['sms.failed', 'rcs.delivered'])), PATIENCE);
    expect(published.filter(({ queue }) => !queue.startsWith('critical'))).toEqual([]);
  });
});

test('all that is published of a tenant names it to the queue', { timeout: 180_000 }, async () => {
  blocked = () => false;
  const { owner, types } = await subscribed(['contact.created', 'sms.delivered']);
  await owner.test.post('/contacts', { phone: '+5511987654321' });
  await owner.test.post('/v1/messages/bulk', {
    messages: [{ channel: 'sms', to: DELIVERED, text: 'Oi' }],
    mode: 'strict',
  });
  await vi.waitFor(
    () => expect(types()).toEqual(expect.arrayContaining(['contact.created', 'sms.delivered'])),
    PATIENCE,
  );
  expect(new Set(published.map(({ item }) => item.kind))).toEqual(
    new Set(['publish_event', 'deliver_webhook', 'send_chunk', 'sandbox_outcome']),
  );
  for (const { group, item } of published) expect([group, item.organizationId]).toEqual([owner.id, owner.id]);
});
