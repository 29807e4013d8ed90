import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { makePublisher } from '../../shared/queues/publisher.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import '../support/aws-environment.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';

const itemOf = (at: number, owner: Publishable['owner'] = 'stage'): Publishable => ({
  kind: 'sandbox_outcome',
  pk: `MSG#${at}`,
  sk: 'MSG',
  owner,
});

describe('a publisher', async () => {
  const sent: { Entries: { Id: string; MessageBody: string; DelaySeconds: number; MessageGroupId?: string }[] }[] = [];
  let broken = false;
  const proxy = await use(startFaultProxy('http://127.0.0.1:9'));
  proxy.plan(({ body }) => {
    const batch = JSON.parse(body) as (typeof sent)[number];
    if (broken) return { kind: 'drop' };
    sent.push(batch);
    const Successful = batch.Entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' }));
    return { kind: 'error', status: 200, type: 'none', body: { Successful, Failed: [] } };
  });

  const publisher = (faults: unknown[] = []) =>
    makePublisher(
      new SQSClient({ endpoint: proxy.endpoint, maxAttempts: 1, md5: false as never }),
      { outcome: `${proxy.endpoint}/q` },
      (_, error) => faults.push(error),
    );

  test('sends items that accumulate during a call in one batch, and resolves each once it is sent', async () => {
    sent.length = 0;
    const { publish } = publisher();
    await Promise.all(Array.from({ length: 95 }, (_, at) => publish([itemOf(at)], 2.2)));
    const bodies = sent.flatMap(({ Entries }) => Entries);
    expect(new Set(bodies.map(({ MessageBody }) => MessageBody)).size).toBe(95);
    expect(bodies.every(({ DelaySeconds }) => DelaySeconds === 3)).toBe(true);
    expect(sent.length).toBeLessThan(15);
  });

  test('reports a fault and does not throw when the queue is unavailable', async () => {
    broken = true;
    const faults: unknown[] = [];
    await publisher(faults).publish([itemOf(1)]);
    broken = false;
    expect(faults).toHaveLength(1);
  });

  test('lets failed messages return after 5, 30 and 120 s, and later ones after their visibility timeout', async () => {
    sent.length = 0;
    const failed = [1, 2, 3, 4, 5].map((receives) => ({ receiptHandle: `handle ${receives}`, receives }));
    await publisher().retrySooner('outcome', failed);
    expect(sent).toEqual([
      {
        QueueUrl: `${proxy.endpoint}/q`,
        Entries: [5, 30, 120].map((VisibilityTimeout, at) => ({
          Id: String(at),
          ReceiptHandle: `handle ${at + 1}`,
          VisibilityTimeout,
        })),
      },
    ]);
    await publisher().retrySooner('outcome', failed.slice(3));
    expect(sent).toHaveLength(1);
    broken = true;
    const faults: unknown[] = [];
    await publisher(faults).retrySooner('outcome', failed);
    broken = false;
    expect(faults).toHaveLength(1);
  });

  test('names the organization of its work to the queue and to the consumer, and none for work of the stage', async () => {
    sent.length = 0;
    const organizationId = newId('organization');
    await publisher().publish([itemOf(1, organizationId), itemOf(2)]);
    const [theirs, ours] = sent.flatMap(({ Entries }) => Entries);
    expect(theirs?.MessageGroupId).toBe(organizationId);
    expect(JSON.parse(theirs?.MessageBody ?? '')).toEqual({
      kind: 'sandbox_outcome',
      pk: 'MSG#1',
      sk: 'MSG',
      organizationId,
    });
    expect(ours).not.toHaveProperty('MessageGroupId');
    expect(JSON.parse(ours?.MessageBody ?? '')).toEqual({ kind: 'sandbox_outcome', pk: 'MSG#2', sk: 'MSG' });
  });

  test('leaves what is due in more than 15 minutes to the due index', async () => {
    sent.length = 0;
    await publisher().publish([itemOf(1)], 901);
    expect(sent).toEqual([]);
  });
});
