import { backlogWaitMs, joinsBacklog } from './backlog.ts';
import { deliverAll, type Tried } from './deliver.ts';
import { isThrottled } from './endpoint-limiter.ts';
import type { DrainLease, Waiter, WebhookPorts } from './ports.ts';
import { RETRY_FOR_MS } from './schedule.ts';
import type { Subscription } from './subscription.ts';

/** How long one worker has a drain for itself, in ms: its work, an attempt that began at its end, and the time to record that. */
const LEASE_MS = 60_000;
/** A drain begins no attempt later than this after its start, in ms. */
const WORK_MS = 10_000;
/** Deliveries that are read at a time. */
const PAGE_SIZE = 100;
/** Concurrent attempts at an endpoint that answers: the most slots that it may have. */
const CONCURRENT_ATTEMPTS = 16;
/** Attempts that one drain makes at a failing endpoint, one after another. */
const MAX_PROBES = 10;
/** An index shows a row well within this after its write, in ms: a backlog that reads as empty after it is empty. */
const INDEX_LAG_MS = 300_000;

/** How a drain ended: nothing waits any more, the endpoint takes nothing, or its time was over before its work. */
type DrainResult = 'empty' | 'refused' | 'unfinished';

/** The deliveries that are tried next: one at a failing endpoint, but what waited too long is given up together. */
const nextBatch = (waiters: readonly Waiter[], answers: boolean, now: number): readonly Waiter[] => {
  if (answers) return waiters.slice(0, CONCURRENT_ATTEMPTS);
  const fresh = waiters.findIndex(({ since }) => since + RETRY_FOR_MS >= now);
  return waiters.slice(0, fresh < 0 ? waiters.length : Math.max(1, fresh));
};

/** What became of a batch. `faults` gets those of deliveries that could not be read or written. */
const deliverBatch = async (ports: WebhookPorts, batch: readonly Waiter[], faults: unknown[]) => {
  const ids = batch.map(({ id }) => id);
  // The drain goes on by itself when the endpoint answers again: no other is triggered.
  const outcomes = await deliverAll(ports, ids, async () => undefined);
  const tried = new Set<Tried>();
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') faults.push(outcome.reason);
    else if (outcome.value) tried.add(outcome.value);
  }
  return tried;
};

/** Works through what waits. A delivery that could not be read or written adds to `faults`, and holds up no other. */
const drain = async (ports: WebhookPorts, subscription: Subscription, faults: unknown[]): Promise<DrainResult> => {
  const end = ports.clock() + WORK_MS;
  let answers = subscription.status === 'revoked' || !isThrottled(subscription, ports.clock());
  let failed = 0;
  for (;;) {
    let waiters = await ports.backlog.oldest(subscription.id, PAGE_SIZE);
    if (waiters.length === 0) return 'empty';
    let progressed = false;
    while (waiters.length > 0) {
      const batch = nextBatch(waiters, answers, ports.clock());
      waiters = waiters.slice(batch.length);
      const tried = await deliverBatch(ports, batch, faults);
      if (tried.has('delivered')) [answers, failed] = [true, 0];
      else if (tried.has('failed')) [answers, failed] = [false, failed + 1];
      progressed ||= tried.has('delivered') || tried.has('failed') || tried.has('ended');
      if (failed === MAX_PROBES || tried.has('waits')) return 'refused';
      if (ports.clock() >= end) return answers ? 'unfinished' : 'refused';
    }
    if (!progressed) return 'refused';
  }
};

const rescheduleDrain = async (ports: WebhookPorts, lease: DrainLease, waitMs: number): Promise<void> => {
  if (await ports.backlog.rescheduleDrain(lease, ports.clock() + waitMs))
    ports.enqueueDrain(lease.subscription, waitMs / 1000);
};

/** How long the backlog waits for its next drain, in ms; undefined once it is closed. */
const nextDrainMs = async (
  ports: WebhookPorts,
  lease: DrainLease,
  result: DrainResult,
  startedAt: number,
): Promise<number | undefined> => {
  if (result === 'unfinished') return 0;
  if (result === 'refused') return backlogWaitMs(ports, lease.subscription);
  if (lease.parkedAt <= startedAt - INDEX_LAG_MS && (await ports.backlog.close(lease))) return undefined;
  return joinsBacklog(lease.subscription, startedAt) ? backlogWaitMs(ports, lease.subscription) : INDEX_LAG_MS;
};

/**
 * Drains an endpoint's backlog, oldest first, if a drain is due. An endpoint that answers is given all of it, page by page; one that
 * fails is given a few deliveries, one after another, and the rest waits on without a write. Repeats change nothing: one worker has the
 * lease.
 */
export const drainBacklog = async (
  ports: WebhookPorts,
  subscription: Pick<Subscription, 'organizationId' | 'id'>,
): Promise<void> => {
  const startedAt = ports.clock();
  const lease = await ports.backlog.lease(subscription, startedAt, startedAt + LEASE_MS);
  if (!lease) return;
  const faults: unknown[] = [];
  const result = await drain(ports, lease.subscription, faults);
  const waitMs = await nextDrainMs(ports, lease, result, startedAt);
  if (waitMs !== undefined) await rescheduleDrain(ports, lease, waitMs);
  if (faults.length > 0) throw faults[0];
};
