import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { startFauxqs } from '../../infra/local/engines.ts';
import { fairest } from '../../infra/local/fair-queue.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Priority } from '../../shared/domain/core/priority.ts';
import { makePublisher } from '../../shared/queues/publisher.ts';
import type { Publishable, WorkItem } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import '../support/aws-environment.ts';
import { use } from '../support/use.ts';

const [NOISY, QUIET] = [newId('organization'), newId('organization')];
const sendsOf = (owner: typeof NOISY, count: number, priority: Priority = 'normal'): Publishable[] =>
  Array.from({ length: count }, () => ({
    kind: 'send_message',
    ...KEYS.message(newId('message')),
    owner,
    priority,
  }));

describe('the local queue', async () => {
  const engine = await startFauxqs();
  await use({ close: () => engine.stop() });
  const sqs = new SQSClient({ endpoint: engine.endpoint });
  const make = async (QueueName: string) => {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName }));
    return new URL(new URL(QueueUrl).pathname, engine.endpoint).href;
  };
  const urls = { send: await make('send'), critical: await make('critical') };
  const { handOver, publish } = makePublisher(sqs, urls, () => undefined);
  const received = async (QueueUrl: string): Promise<WorkItem[]> => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    return Messages.map(({ Body = '' }) => JSON.parse(Body));
  };

  test('of 2,000 messages of one organization delivers the 5 of another first', async () => {
    await handOver(sendsOf(NOISY, 2_000));
    await received(urls.send);
    await handOver(sendsOf(QUIET, 5));
    const batch = await received(urls.send);
    expect(batch.slice(0, 5).map(({ organizationId }) => organizationId)).toEqual(Array(5).fill(QUIET));
    expect(batch.slice(5).map(({ organizationId }) => organizationId)).toEqual(Array(5).fill(NOISY));
  });

  test('of critical messages differs from that of all others', async () => {
    const [item] = sendsOf(NOISY, 1, 'critical');
    await publish(item ? [item] : []);
    expect(await received(urls.critical)).toEqual([expect.objectContaining({ pk: item?.pk })]);
  });
});

describe('a fair queue', () => {
  const body = (organizationId: string) => JSON.stringify({ organizationId });

  test('gives out by turns what organizations of equal work wait for, each in its order', () => {
    expect(fairest(['a', 'a', 'a', 'b', 'b', 'c'].map(body), [], 6)).toEqual([0, 3, 5, 1, 4, 2]);
  });

  test('delivers first the messages of the organization with the fewest in flight', () => {
    expect(fairest(['a', 'b', 'b'].map(body), ['a', 'a'].map(body), 2)).toEqual([1, 2]);
  });

  test('treats a message without an organization as a separate tenant', () => {
    expect(fairest(['{}', '{}', body('a')], [body('a')], 3)).toEqual([0, 1, 2]);
  });
});
