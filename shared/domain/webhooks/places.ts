import type { Subscription } from './subscription.ts';

/** Attempts under way to one endpoint in this process: a hung endpoint holds no more, and others pass it. */
const AT_ONCE = 4;
/** Every answer of an endpoint that has answered all opens a place more, up to so many. */
const MOST_AT_ONCE = 16;
/** An endpoint whose last attempts failed gets one at a time. */
const AT_ONCE_FAILING = 1;
/** All endpoints whose last attempts failed get so many together: most of the places stay with those that answer. */
const ALL_FAILING = 4;
/** How long a delivery waits for a place at an endpoint that answers, in ms: the answers that it waits for take less. */
const PATIENCE_MS = 250;
/** An endpoint that owes an answer for so long, in ms, is given nothing more until it answers. */
const OWING_MS = 500;
/** One that owes it for so long, in ms, is slow: its new events wait in its backlog. */
export const SLOW_MS = 2_000;

interface Endpoint {
  /** When each attempt under way began, oldest first. */
  readonly begun: Set<{ readonly at: number }>;
  readonly waiting: Set<() => void>;
  most: number;
}

/** How an attempt ended for its place: with an answer, or without. */
export type Leave = (answered: boolean) => void;

const endpoints = new Map<string, Endpoint>();
let failing = 0;

/** For how long the endpoint owes this process an answer, in ms. */
const owing = (id: string): number => {
  for (const { at } of endpoints.get(id)?.begun ?? []) return performance.now() - at;
  return 0;
};
/** Whether the endpoint owes an answer for long: to this process, or to another that noted it. */
export const isSlow = ({ id, slowUntil = 0 }: Subscription, now: number): boolean =>
  owing(id) > SLOW_MS || slowUntil > now;

const take = (id: string, ailing: boolean): Leave | undefined => {
  const endpoint = endpoints.get(id) ?? { begun: new Set(), waiting: new Set(), most: AT_ONCE };
  const most = ailing ? AT_ONCE_FAILING : endpoint.most;
  if (endpoint.begun.size >= most || (ailing && failing >= ALL_FAILING)) return undefined;
  if (owing(id) > OWING_MS) return undefined;
  const attempt = { at: performance.now() };
  endpoints.set(id, endpoint);
  endpoint.begun.add(attempt);
  if (ailing) failing += 1;
  return (answered) => {
    endpoint.begun.delete(attempt);
    if (ailing) failing -= 1;
    endpoint.most = answered ? Math.min(endpoint.most + 1, MOST_AT_ONCE) : AT_ONCE;
    let free = endpoint.most - endpoint.begun.size;
    for (const wake of endpoint.waiting) if (free-- > 0) wake();
    if (endpoint.begun.size === 0 && endpoint.waiting.size === 0) endpoints.delete(id);
  };
};

/** Until somebody gives a place back, or for so long. */
const freed = ({ waiting }: Endpoint, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      waiting.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    waiting.add(wake);
  });

/** Whether an endpoint is given less than others: its last attempts failed, or it owes an answer for long. */
export const isHeld = (subscription: Subscription, now: number): boolean =>
  subscription.consecutiveFailures > 0 || isSlow(subscription, now);

/**
 * Takes a place at the endpoint, in this process; the way to give it back, or undefined when it is full. With `patience` a place is
 * waited for a moment: those of an endpoint that answers come free at once.
 */
export const enter = async (
  subscription: Subscription,
  patience: 'patient' | 'at_once',
): Promise<Leave | undefined> => {
  const { id } = subscription;
  const ailing = subscription.consecutiveFailures > 0;
  const until = performance.now() + (patience === 'patient' ? PATIENCE_MS : 0);
  for (;;) {
    const leave = take(id, ailing);
    const left = until - performance.now();
    const full = endpoints.get(id);
    if (leave || !full || left <= 0 || owing(id) > SLOW_MS) return leave;
    await freed(full, left);
  }
};
