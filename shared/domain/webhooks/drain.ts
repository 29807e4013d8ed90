import { backlogWaitMs, fullWaitMs, joinsBacklog } from './backlog.ts';
import { type AttemptOutcome, deliverAll } from './deliver.ts';
import { isThrottled } from './endpoint-limiter.ts';
import type { DrainLease, Waiter, WebhookPorts } from './ports.ts';
import { RETRY_FOR_MS } from './schedule.ts';
import type { Subscription } from './subscription.ts';

/**
 * How long one worker leases a drain, in ms: its work, an attempt that started at the end of it, and the time to record
 * that.
 */
const LEASE_MS = 60_000;
/** A drain starts no attempt later than this after its start, in ms. */
const WORK_MS = 10_000;
/** Deliveries per read. */
const PAGE_SIZE = 100;
/** Concurrent attempts at a healthy endpoint: the maximum of its slots. */
const CONCURRENT_ATTEMPTS = 16;
/** Sequential attempts that one drain makes at a failing endpoint. */
const MAX_PROBES = 10;
/** The maximum delay of the index, in ms, with a wide margin: a backlog that is still empty after this is really empty. */
const INDEX_LAG_MS = 300_000;
/**
 * How long a backlog that was found empty waits for its next drain, in ms: as long as nothing has joined it, within
 * these limits. A delivery that joins it meanwhile, or that the index does not show yet, waits no longer.
 */
const EMPTY_WAIT_MS = { min: 2_000, max: 15_000 } as const;

/** The result of a drain: the backlog is empty, the endpoint accepts nothing, others hold its slot, or the time was over first. */
type DrainResult = 'empty' | 'refused' | 'crowded' | 'unfinished';

/** The next deliveries to attempt: one at a failing endpoint, though expired ones are abandoned together. */
const nextBatch = (waiters: readonly Waiter[], answers: boolean, now: number): readonly Waiter[] => {
  if (answers) return waiters.slice(0, CONCURRENT_ATTEMPTS);
  const fresh = waiters.findIndex(({ since }) => since + RETRY_FOR_MS >= now);
  return waiters.slice(0, fresh < 0 ? waiters.length : Math.max(1, fresh));
};

/** Attempts a batch; returns the results that occurred. Appends the errors of deliveries that could not be read or written to `faults`. */
const deliverBatch = async (ports: WebhookPorts, batch: readonly Waiter[], faults: unknown[]) => {
  const ids = batch.map(({ id }) => id);
  // This drain continues by itself when the endpoint recovers, so no other is triggered.
  const results = await deliverAll(ports, ids, async () => undefined);
  const outcomes = new Set<AttemptOutcome>();
  for (const result of results) {
    if (result.status === 'rejected') faults.push(result.reason);
    else if (result.value) outcomes.add(result.value);
  }
  return outcomes;
};

/**
 * Attempts the backlog until it is empty, the endpoint accepts nothing, or the time is over. An error of one delivery is added to `faults` and
 * does not stop the others.
 */
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
      const outcomes = await deliverBatch(ports, batch, faults);
      if (outcomes.has('delivered')) [answers, failed] = [true, 0];
      else if (outcomes.has('failed')) [answers, failed] = [false, failed + 1];
      progressed ||= outcomes.has('delivered') || outcomes.has('failed') || outcomes.has('ended');
      if (outcomes.has('crowded')) return 'crowded';
      if (failed === MAX_PROBES || outcomes.has('waits')) return 'refused';
      if (ports.clock() >= end) return answers ? 'unfinished' : 'refused';
    }
    if (!progressed) return 'refused';
  }
};

const rescheduleDrain = async (ports: WebhookPorts, lease: DrainLease, waitMs: number): Promise<void> => {
  if (await ports.backlog.rescheduleDrain(lease, ports.clock() + waitMs))
    ports.enqueueDrain(lease.subscription, waitMs / 1000);
};

/**
 * How long the backlog waits for its next drain, in ms; undefined once it is closed. The subscription is read again: an
 * endpoint that answered during the drain has failed for no time, and one that failed may be `failing` now.
 */
const nextDrainMs = async (
  ports: WebhookPorts,
  lease: DrainLease,
  result: DrainResult,
  startedAt: number,
): Promise<number | undefined> => {
  if (result === 'unfinished') return 0;
  if (result === 'crowded') return fullWaitMs(ports);
  const { organizationId, id } = lease.subscription;
  const subscription = (await ports.subscriptions.read(organizationId, id)) ?? lease.subscription;
  if (result === 'refused') return backlogWaitMs(ports, subscription);
  if (lease.parkedAt <= startedAt - INDEX_LAG_MS && (await ports.backlog.close(lease))) return undefined;
  const now = ports.clock();
  if (joinsBacklog(subscription, now)) return backlogWaitMs(ports, subscription);
  return Math.min(Math.max(now - lease.parkedAt, EMPTY_WAIT_MS.min), EMPTY_WAIT_MS.max);
};

/**
 * Drains an endpoint's backlog, oldest first, if a drain is due. A healthy endpoint gets all of it, page by page; a failing one gets a few
 * deliveries in sequence, and the rest keeps waiting without a write. Repeats change nothing: one worker holds the lease.
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
