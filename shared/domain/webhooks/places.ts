import type { Subscription } from './subscription.ts';

/** Attempts under way to one endpoint in this process: a hung endpoint holds no more, and others pass it. */
const AT_ONCE = 4;
/** An endpoint whose last attempts failed gets one at a time. */
const AT_ONCE_FAILING = 1;
/** All endpoints whose last attempts failed get so many together: most of the places stay with those that answer. */
const ALL_FAILING = 4;
/** How long a delivery waits for a place at an endpoint that answers, in ms: the answers that it waits for take less. */
const PATIENCE_MS = 250;

interface Endpoint {
  taken: number;
  readonly waiting: Set<() => void>;
}

const endpoints = new Map<string, Endpoint>();
let failing = 0;

const endpointOf = (id: string): Endpoint => {
  const endpoint = endpoints.get(id) ?? { taken: 0, waiting: new Set() };
  endpoints.set(id, endpoint);
  return endpoint;
};

const take = (id: string, ailing: boolean): (() => void) | undefined => {
  const endpoint = endpointOf(id);
  if (endpoint.taken >= (ailing ? AT_ONCE_FAILING : AT_ONCE) || (ailing && failing >= ALL_FAILING)) return undefined;
  endpoint.taken += 1;
  if (ailing) failing += 1;
  return () => {
    endpoint.taken -= 1;
    if (ailing) failing -= 1;
    for (const wake of endpoint.waiting) return wake();
    if (endpoint.taken === 0) endpoints.delete(id);
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

/** Whether the last attempts at an endpoint failed. */
export const isAiling = ({ consecutiveFailures }: Subscription): boolean => consecutiveFailures > 0;

/**
 * Takes a place at the endpoint, in this process; the way to give it back, or undefined when it is full. An endpoint that answers is
 * waited for a moment, for its places come free at once; one that fails is not.
 */
export const enter = async (subscription: Subscription): Promise<(() => void) | undefined> => {
  const { id } = subscription;
  const ailing = isAiling(subscription);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const leave = take(id, ailing);
    const left = until - performance.now();
    if (leave || ailing || left <= 0) return leave;
    await freed(endpointOf(id), left);
  }
};
