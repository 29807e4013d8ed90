import { ensureTable } from '../infra/local/resources.ts';
import { operatorEntry } from '../shared/domain/audit/entry.ts';
import { newId } from '../shared/domain/core/ids.ts';
import { type DomainEvent, newEvent } from '../shared/domain/events/event.ts';
import { DEFAULT_RETRY } from '../shared/domain/webhooks/schedule.ts';
import type { Subscription } from '../shared/domain/webhooks/subscription.ts';
import { QUEUES } from '../shared/queues/queues.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import { Table } from '../shared/storage/client/table.ts';
import { eventWrite, outbox } from '../shared/storage/due-work/outbox.ts';
import { deliveryStore } from '../shared/storage/webhooks/deliveries.ts';
import { webhookStore } from '../shared/storage/webhooks/subscriptions.ts';
import { cpuMs, inGroups, startStore } from './processes.ts';
import { figure } from './report.ts';
import { table } from './table.ts';

/** CPU time of one part of a delivery, in ms: in the process itself and in the engine. */
export interface Part {
  readonly what: string;
  readonly own: number;
  readonly engine: number;
}

const EVENTS = 1_000;
/** Not counted: JIT warm-up. */
const WARM_EVENTS = 200;
/** Deliveries that a process handles concurrently while the queue is full. */
const IN_FLIGHT = QUEUES.webhook.batchSize * QUEUES.webhook.concurrentBatches;
const CLAIM_MS = 25_000;
/** As long as a sealed exchange with an endpoint that answers without a body. */
const EXCHANGE = 'x'.repeat(1_500);

const subscriptionOf = (now: number): Subscription => ({
  id: newId('webhook'),
  organizationId: newId('organization'),
  env: 'test',
  url: 'https://receiver.example/hook',
  secrets: [{ version: 1, sealed: 'sealed' }],
  events: ['contact.created'],
  status: 'active',
  retry: DEFAULT_RETRY,
  createdById: newId('account'),
  unmasked: false,
  consecutiveFailures: 0,
  createdAt: now,
  updatedAt: now,
});

const must = <T>(read: PromiseSettledResult<T | undefined>): T => {
  if (read.status === 'fulfilled' && read.value !== undefined) return read.value;
  throw new Error('a delivery is not due');
};

/** Performs each part of `count` deliveries in sequence and measures it. */
const run = async (rows: Table, enginePid: number, count: number): Promise<Part[]> => {
  const [deliveries, webhooks, events] = [deliveryStore(rows), webhookStore(rows), outbox(rows)];
  const now = Date.now();
  const subscription = subscriptionOf(now);
  const { organizationId } = subscription;
  const act = { action: 'webhook.created', object: subscription.id, at: now } as const;
  await webhooks.create(subscription, operatorEntry(organizationId, act));
  const raised = Array.from(
    { length: count },
    (): DomainEvent =>
      newEvent({
        type: 'contact.created',
        organizationId,
        env: 'test',
        createdAt: now,
        data: { contactId: newId('contact') },
      }),
  );
  for (const event of raised) await rows.write(eventWrite(event));
  const parts: Part[] = [];
  const part = async <T, R>(
    what: string,
    all: readonly T[],
    work: (group: T[]) => Promise<readonly R[]>,
  ): Promise<R[]> => {
    const [own, engine] = [process.cpuUsage(), cpuMs(enginePid)];
    const done: R[] = [];
    for (const group of inGroups(all, IN_FLIGHT)) done.push(...(await work(group)));
    const { user, system } = process.cpuUsage(own);
    parts.push({ what, own: (user + system) / 1000 / count, engine: (cpuMs(enginePid) - engine) / count });
    return done;
  };
  const made = await part('its row, with its sequence', raised, (group) => deliveries.fanOut(subscription, group, now));
  const due = await part('reading it with its event and its subscription', made, async (group) => {
    const read = await deliveries.readDue(
      group.map(({ id }) => id),
      now,
    );
    await Promise.all([
      events.readAll(group.map(({ eventId }) => eventId)),
      webhooks.readAll([{ organizationId, webhookId: subscription.id }]),
    ]);
    return read.map(must).map(({ delivery }) => delivery);
  });
  const claims = await part('its claim', due, (group) =>
    Promise.all(group.map((each) => deliveries.claim(each, now, now + CLAIM_MS))),
  );
  const claimed = claims.filter((each) => each !== undefined);
  const attempt = { at: now, durationMs: 1, status: 200, exchange: EXCHANGE };
  const recorded = await part('the record of its attempt', claimed, (group) =>
    Promise.all(group.map((each) => deliveries.record(each, { attempt, status: 'delivered' }))),
  );
  if (recorded.length < count || !recorded.every(Boolean)) throw new Error('a delivery was lost');
  return parts;
};

/** Cost of the rows that a delivery writes, each part on its own with many in parallel, on its own engine. */
export const measureParts = async (): Promise<Part[]> => {
  const store = await startStore();
  try {
    const client = tableClient(store.endpoint);
    await ensureTable(client, 'parts');
    const rows = new Table(client, 'parts');
    await run(rows, store.pid, WARM_EVENTS);
    return await run(rows, store.pid, EVENTS);
  } finally {
    await store.stop();
  }
};

export const PARTS = `The parts are each measured alone (\`bench/delivery-parts.ts\`), with ${IN_FLIGHT} concurrent deliveries, as many as a process handles while a queue is full.`;

/** A table of the parts beside the whole, and the unexplained rest. */
export const partsTable = (parts: readonly Part[], whole: Part): string => {
  const left = (pick: (part: Part) => number) => pick(whole) - parts.reduce((sum, part) => sum + pick(part), 0);
  const what = 'the rest: queues, sealing, parsing, logging';
  const rest: Part = { what, own: left(({ own }) => own), engine: left(({ engine }) => engine) };
  const rows = [...parts, rest, whole].map((part) => [part.what, figure(part.own), figure(part.engine)]);
  return table(['Processor time of a delivery, ms', 'Its process', 'Engine'], rows);
};
