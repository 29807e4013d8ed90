import { backlogWaitMs, joinsBacklog } from './backlog.ts';
import { deliverAll, type Tried } from './deliver.ts';
import { isHeld } from './places.ts';
import type { Look, Waiter, WebhookPorts } from './ports.ts';
import { RETRY_FOR_MS } from './schedule.ts';
import type { Subscription } from './subscription.ts';

/** How long one worker has a look for itself, in ms: its work, an attempt that began at its end, and the time to write it down. */
const LOOK_MS = 60_000;
/** No attempt of a look begins later than this after its start, in ms. */
const WORK_MS = 10_000;
/** Deliveries that are read at once. */
const PAGE = 100;
/** Deliveries that are tried at once at an endpoint that answers: as many as it has places at most. */
const ANSWERING_AT_ONCE = 16;
/** Deliveries that one look tries at an endpoint that fails, one after another. */
const PROBES = 10;
/** An index shows a row well within this after its write, in ms: a backlog that looks empty after it is empty. */
const INDEX_LAG_MS = 300_000;

/** What one look found: nothing that waits, an endpoint that takes none, or more work than its time allows. */
type Found = 'empty' | 'refused' | 'more';

/** How many of those that wait are tried next: one at a failing endpoint, but what waited too long is given up together. */
const turnOf = (waiters: readonly Waiter[], answers: boolean, now: number): readonly Waiter[] => {
  if (answers) return waiters.slice(0, ANSWERING_AT_ONCE);
  const fresh = waiters.findIndex(({ since }) => since + RETRY_FOR_MS >= now);
  return waiters.slice(0, fresh < 0 ? waiters.length : Math.max(1, fresh));
};

const triedAt = async (ports: WebhookPorts, turn: readonly Waiter[], faults: unknown[]) => {
  const ids = turn.map(({ id }) => id);
  // Whoever looks goes on by itself when the endpoint answers again: nobody needs to be woken.
  const outcomes = await deliverAll(ports, ids, async () => undefined);
  const tried = new Set<Tried>();
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') faults.push(outcome.reason);
    else if (outcome.value) tried.add(outcome.value);
  }
  return tried;
};

/** Works through what waits. `faults` gets those of deliveries that could not be read or written: the others pass them. */
const workOff = async (ports: WebhookPorts, subscription: Subscription, faults: unknown[]): Promise<Found> => {
  const end = ports.clock() + WORK_MS;
  let answers = subscription.status === 'revoked' || !isHeld(subscription, ports.clock());
  let failed = 0;
  for (;;) {
    let waiters = await ports.backlog.oldest(subscription.id, PAGE);
    if (waiters.length === 0) return 'empty';
    let moved = false;
    while (waiters.length > 0) {
      const turn = turnOf(waiters, answers, ports.clock());
      waiters = waiters.slice(turn.length);
      const tried = await triedAt(ports, turn, faults);
      if (tried.has('delivered')) [answers, failed] = [true, 0];
      else if (tried.has('failed')) [answers, failed] = [false, failed + 1];
      moved ||= tried.has('delivered') || tried.has('failed') || tried.has('ended');
      if (failed === PROBES || tried.has('waits')) return 'refused';
      if (ports.clock() >= end) return answers ? 'more' : 'refused';
    }
    if (!moved) return 'refused';
  }
};

const lookAgain = async (ports: WebhookPorts, look: Look, waitMs: number): Promise<void> => {
  if (await ports.backlog.lookAgain(look, ports.clock() + waitMs)) ports.hintBacklog(look.subscription, waitMs / 1000);
};

/**
 * Looks at what waits for an endpoint, oldest first, if a look is due. One that answers is given all of it, page by page; one that
 * fails is given a few, one after another, and the rest waits on without a write. Repeats change nothing: one worker has the look.
 */
export const drainBacklog = async (
  ports: WebhookPorts,
  place: Pick<Subscription, 'organizationId' | 'id'>,
): Promise<void> => {
  const now = ports.clock();
  const look = await ports.backlog.take(place, now, now + LOOK_MS);
  if (!look) return;
  const { subscription } = look;
  const faults: unknown[] = [];
  const found = await workOff(ports, subscription, faults);
  if (found === 'more') await lookAgain(ports, look, 0);
  else if (found === 'refused') await lookAgain(ports, look, backlogWaitMs(ports, subscription));
  else if (look.parkedAt > now - INDEX_LAG_MS || !(await ports.backlog.close(look)))
    await lookAgain(ports, look, joinsBacklog(subscription, now) ? backlogWaitMs(ports, subscription) : INDEX_LAG_MS);
  if (faults.length > 0) throw faults[0];
};
