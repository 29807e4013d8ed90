import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePublisher } from '../../shared/queues/publisher.ts';
import type { WorkItem } from '../../shared/queues/queues.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

process.env.AWS_REGION ??= 'sa-east-1';
process.env.AWS_ACCESS_KEY_ID ??= 'local';
process.env.AWS_SECRET_ACCESS_KEY ??= 'local';

const enqueue = (at: number): WorkItem => ({ kind: 'sandbox_outcome', pk: `MSG#${at}`, sk: 'MSG' });

describe('a publisher', () => {
  const sent: { Entries: { Id: string; MessageBody: string; DelaySeconds: number }[] }[] = [];
  let proxy: FaultProxy;
  let broken = false;
  beforeAll(async () => {
    proxy = await startFaultProxy('http://127.0.0.1:9');
    proxy.plan(({ body }) => {
      const batch = JSON.parse(body) as (typeof sent)[number];
      if (broken) return { kind: 'drop' };
      sent.push(batch);
      const Successful = batch.Entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' }));
      return { kind: 'error', status: 200, type: 'none', body: { Successful, Failed: [] } };
    });
  });
  afterAll(() => proxy.close());

  const publisher = (faults: unknown[] = []) =>
    makePublisher(
      new SQSClient({ endpoint: proxy.endpoint, maxAttempts: 1, md5: false as never }),
      { outcome: `${proxy.endpoint}/q` },
      (_, error) => faults.push(error),
    );

  test('sends what gathers while its calls are under way together, and resolves each when it has left', async () => {
    sent.length = 0;
    const { publish } = publisher();
    await Promise.all(Array.from({ length: 95 }, (_, at) => publish([enqueue(at)], 2.2)));
    const bodies = sent.flatMap(({ Entries }) => Entries);
    expect(new Set(bodies.map(({ MessageBody }) => MessageBody)).size).toBe(95);
    expect(bodies.every(({ DelaySeconds }) => DelaySeconds === 3)).toBe(true);
    expect(sent.length).toBeLessThan(15);
  });

  test('never throws when the queue is away: it tells of the fault and ends', async () => {
    broken = true;
    const faults: unknown[] = [];
    await publisher(faults).publish([enqueue(1)]);
    broken = false;
    expect(faults).toHaveLength(1);
  });

  test('leaves what is due in more than 15 minutes to the due index', async () => {
    sent.length = 0;
    await publisher().publish([enqueue(1)], 901);
    expect(sent).toEqual([]);
  });
});
