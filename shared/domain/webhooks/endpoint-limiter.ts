import type { Id } from '../core/ids.ts';
import type { Subscription } from './subscription.ts';

/**
 * Slots of an endpoint: concurrent attempts of this process. A hanging endpoint occupies no more than these, so that
 * others are not delayed.
 */
const SLOTS = 4;
/** Each response of an endpoint without unanswered requests adds a slot, up to this number. */
const MAX_SLOTS = 16;
/** Slots of an endpoint whose last attempts failed. */
const FAILING_SLOTS = 1;
/** Slots shared by all failing endpoints: most of a process's attempts go to healthy ones. */
const ALL_FAILING_SLOTS = 4;
/** How long a delivery waits for a slot of a healthy endpoint, or for one that others share, in ms: most responses take less. */
const PATIENCE_MS = 250;
/** An endpoint with an unanswered request this old, in ms, gets no more until it responds. */
const HANGING_MS = 500;
/** An endpoint with an unanswered request this old, in ms, is slow: its new events join its backlog. */
export const SLOW_MS = 2_000;

interface Endpoint {
  /** Start times of the attempts in flight, oldest first. */
  readonly attempts: Set<{ readonly at: number }>;
  readonly waiting: Set<() => void>;
  slots: number;
}

/** Releases a slot; `answered`: the attempt got a response. */
export type ReleaseSlot = (answered: boolean) => void;
/** Whose attempts hold the slots: the endpoint's own, or those of other failing endpoints. */
type Occupied = 'own' | 'others';

const endpoints = new Map<Id<'webhook'>, Endpoint>();
/** The slots that failing endpoints share. */
const shared = { used: 0, waiting: new Set<() => void>() };

/** Age of the endpoint's oldest unanswered request in this process, in ms. */
const oldestUnansweredMs = (id: Id<'webhook'>): number => {
  for (const { at } of endpoints.get(id)?.attempts ?? []) return performance.now() - at;
  return 0;
};
/** Whether the endpoint has an old unanswered request: of this process, or of another that recorded it. */
export const isSlow = ({ id, slowUntil = 0 }: Subscription, now: number): boolean =>
  oldestUnansweredMs(id) > SLOW_MS || slowUntil > now;

const tryAcquire = (id: Id<'webhook'>, isFailing: boolean): ReleaseSlot | Occupied => {
  const endpoint = endpoints.get(id) ?? { attempts: new Set(), waiting: new Set(), slots: SLOTS };
  const slots = isFailing ? FAILING_SLOTS : endpoint.slots;
  if (endpoint.attempts.size >= slots || oldestUnansweredMs(id) > HANGING_MS) return 'own';
  if (isFailing && shared.used >= ALL_FAILING_SLOTS) return 'others';
  const attempt = { at: performance.now() };
  endpoints.set(id, endpoint);
  endpoint.attempts.add(attempt);
  if (isFailing) shared.used += 1;
  return (answered) => {
    endpoint.attempts.delete(attempt);
    if (isFailing) {
      shared.used -= 1;
      for (const resume of shared.waiting) resume();
    }
    endpoint.slots = answered ? Math.min(endpoint.slots + 1, MAX_SLOTS) : SLOTS;
    let free = endpoint.slots - endpoint.attempts.size;
    for (const resume of endpoint.waiting) if (free-- > 0) resume();
    if (endpoint.attempts.size === 0 && endpoint.waiting.size === 0) endpoints.delete(id);
  };
};

/** Resolves when a slot is released, or after `ms`. */
const slotReleased = ({ waiting }: Pick<Endpoint, 'waiting'>, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const resume = () => {
      clearTimeout(timer);
      waiting.delete(resume);
      resolve();
    };
    const timer = setTimeout(resume, ms);
    waiting.add(resume);
  });

/** Whether an endpoint gets fewer attempts than others: its last attempts failed, or it is slow. */
export const isThrottled = (subscription: Subscription, now: number): boolean =>
  subscription.consecutiveFailures > 0 || isSlow(subscription, now);

/**
 * Acquires a slot of the endpoint in this process, or returns whose attempts hold them. `patient` waits briefly for an
 * own one: a healthy endpoint's slots are released quickly. For one that others hold every caller waits as long, so
 * that no retry of many endpoints that fail quickly misses its time.
 */
export const acquire = async (
  subscription: Subscription,
  patience: 'patient' | 'at_once',
): Promise<ReleaseSlot | Occupied> => {
  const { id } = subscription;
  const isFailing = subscription.consecutiveFailures > 0;
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const slot = tryAcquire(id, isFailing);
    if (typeof slot === 'function') return slot;
    const left = until - performance.now();
    const full = slot === 'others' ? shared : endpoints.get(id);
    if (!full || left <= 0) return slot;
    if (slot === 'own' && (patience === 'at_once' || oldestUnansweredMs(id) > SLOW_MS)) return slot;
    await slotReleased(full, left);
  }
};
