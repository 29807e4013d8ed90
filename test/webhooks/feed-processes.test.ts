import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { type DomainEvent, newEvent } from '../../shared/domain/events/event.ts';
import { deliveryIdOf } from '../../shared/domain/webhooks/envelope.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { eventWrite } from '../../shared/storage/due-work/outbox.ts';
import { deliveryStore } from '../../shared/storage/webhooks/deliveries.ts';
import { webhookStore } from '../../shared/storage/webhooks/subscriptions.ts';
import '../support/aws-environment.ts';
import { bundled } from '../support/bundled.ts';
import { patient } from '../support/patient-client.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { makeWebhook } from '../support/webhook-rows.ts';
import type { Said, Work } from './fan-out-worker.ts';

const WORKERS = 20;
const BATCHES = WORKERS * shareOf(4);
const PATIENCE = { timeout: 300_000 };
const BATCH = 10;
const NAME = 'live';
const WORKER = await bundled(new URL('./fan-out-worker.ts', import.meta.url));

/** A table that keeps all of DynamoDB's laws, at its limits. */
const startLawful = async () => {
  const engine = await startDynoxide();
  await ensureTable(tableClient(engine.endpoint), NAME);
  const laws = await startTableLaws(engine.endpoint);
  const close = async () => {
    await laws.close();
    await engine.stop();
  };
  return { laws, table: new Table(patient(tableClient(laws.endpoint)), NAME), close };
};
const lawful = await use(startLawful());

const setUp = async () => {
  const organizationId = newId('organization');
  const id = await makeWebhook(lawful.table, organizationId);
  const subscription = await webhookStore(lawful.table).read(organizationId, id);
  if (!subscription) throw new Error('there is no subscription');
  const createdAt = Date.now();
  const events = Array.from({ length: BATCHES * BATCH }, () =>
    newEvent({ type: 'sms.delivered', organizationId, env: 'live', createdAt, data: { id: newId('message') } }),
  );
  await lawful.table.putMany(events.map((event) => eventWrite(event).put));
  const batches = Array.from({ length: BATCHES }, (_, at) => events.slice(at * BATCH, (at + 1) * BATCH));
  return { subscription, events, batches };
};

/** Begins all workers at once. Those of `killed` end as soon as any of the others gave a batch; what all said. */
const runWorkers = async (work: readonly Work[], killed = 0): Promise<Said[]> => {
  const said: Said[] = [];
  const workers = work.map((workerData) => new Worker(WORKER, { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const ends = workers.map((worker) => once(worker, 'exit'));
  for (const [at, worker] of workers.entries())
    worker.on('message', (word: Said) => {
      said.push(word);
      if (word === 'given' && at >= killed) for (const victim of workers.slice(0, killed)) void victim.terminate();
    });
  for (const worker of workers) worker.postMessage('go');
  await Promise.all(ends);
  return said;
};

/** The feed has each event once and no gap, and each has its delivery with its number. */
const expectWhole = async (subscription: Work['subscription'], events: readonly DomainEvent[]) => {
  const { feed, read } = deliveryStore(lawful.table);
  const { entries, lastSequence } = await feed(subscription.id, 0, 2 * events.length);
  expect(entries.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  expect(lastSequence).toBe(events.length);
  expect(entries.map(({ eventId }) => eventId).toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  const deliveries = await Promise.all(entries.map(({ eventId }) => read(deliveryIdOf(subscription.id, eventId))));
  expect(deliveries.map((delivery) => delivery?.sequence)).toEqual(entries.map(({ sequence }) => sequence));
};

test(
  'twenty processes that fan out one subscription’s events concurrently, each batch twice, abandon none and leave no gap',
  PATIENCE,
  async () => {
    const { subscription, events, batches } = await setUp();
    const work = Array.from({ length: WORKERS }, (_, at) => ({
      endpoint: lawful.laws.endpoint,
      table: NAME,
      subscription,
      // Its own batches, and those of the next one.
      batches: batches.filter((_, batch) => [at, (at + 1) % WORKERS].includes(batch % WORKERS)),
    }));
    const said = await runWorkers(work);
    expect(said.filter((word) => word === 'given')).toHaveLength(2 * BATCHES);
    expect(said).not.toContain('given up');
    expect(lawful.laws.statistics().refusals).not.toHaveProperty('transactionConflicts');
    await expectWhole(subscription, events);
  },
);

test(
  'processes that are killed while they fan out lose nothing: the repeat gives what is missing, and no number twice',
  PATIENCE,
  async () => {
    const { subscription, events, batches } = await setUp();
    const work = Array.from({ length: WORKERS }, (_, at) => ({
      endpoint: lawful.laws.endpoint,
      table: NAME,
      subscription,
      batches: batches.filter((_, batch) => batch % WORKERS === at),
    }));
    expect(await runWorkers(work, WORKERS / 2)).not.toContain('given up');
    const before = (await deliveryStore(lawful.table).feed(subscription.id, 0, events.length)).entries;
    for (const batch of batches) await deliveryStore(lawful.table).fanOut(subscription, batch, Date.now());
    await expectWhole(subscription, events);
    const after = (await deliveryStore(lawful.table).feed(subscription.id, 0, events.length)).entries;
    expect(after.slice(0, before.length)).toEqual(before);
  },
);
