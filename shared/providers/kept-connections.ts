import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '../domain/time.ts';

/**
 * How long a connection may have waited, in ms, and still carry a send. Servers close what waits (five seconds are the least that is usual),
 * and a send that is written into a closed connection is lost: nobody can say that it did not arrive. Timers alone do not keep this: a
 * function stands still between its calls, and learns only when it goes on what was closed meanwhile. So it is looked at when a
 * connection is lent, by the clock on the wall.
 */
export const IDLE_MS = 2_000;

/** What of undici, which Node's fetch is made of, is used here. Node gives its fetch's own agent, and through it the class, by this name. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');
type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type AgentClass = new (options: { keepAliveTimeout: number; keepAliveMaxTimeout: number }) => Dispatcher;

const newDispatcher = (): Dispatcher => {
  // Whoever asks for one of fetch's classes first loads all of them.
  void globalThis.Headers;
  const { [GLOBAL_DISPATCHER]: known } = globalThis as { [GLOBAL_DISPATCHER]?: Dispatcher };
  if (!known) throw new Error("Node's fetch has no agent: the version of Node is not one that this was made for.");
  return new (known.constructor as AgentClass)({ keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });
};

interface Origin {
  dispatcher: Dispatcher;
  underWay: number;
  idleSince: number;
}

/** Node's fetch, which uses a connection again only within `IDLE_MS` of the last call to its origin. */
export const keptFetch = (now: Clock): typeof fetch => {
  const origins = new Map<string, Origin>();
  const lend = (name: string): Origin => {
    const known = origins.get(name);
    if (known && (known.underWay > 0 || now() - known.idleSince <= IDLE_MS)) return known;
    // Ends by itself once answers that are still being read have been.
    void known?.dispatcher.close();
    const opened = { dispatcher: newDispatcher(), underWay: 0, idleSince: 0 };
    origins.set(name, opened);
    return opened;
  };
  return async (input, init) => {
    const origin = lend(new URL(input instanceof Request ? input.url : input).origin);
    origin.underWay += 1;
    try {
      return await fetch(input, { ...init, dispatcher: origin.dispatcher });
    } finally {
      origin.underWay -= 1;
      origin.idleSince = now();
    }
  };
};

/** An agent's own choice of a connection for a request: not in its types, and what agents of others have overridden since Node 0.12. */
interface Lender {
  addRequest(request: ClientRequest, ...rest: unknown[]): void;
}

/** Makes an agent of Node's lend no connection that has waited longer than `idleMs`. */
export const lendsFresh = <A extends Agent>(agent: A, idleMs: number = IDLE_MS, now: Clock = systemClock): A => {
  const lender = agent as A & Lender;
  const since = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const lend = lender.addRequest.bind(agent);
  agent.keepSocketAlive = (socket) => {
    since.set(socket, now());
    return keep(socket);
  };
  lender.addRequest = (request, ...rest) => {
    for (const waiting of Object.values(agent.freeSockets))
      for (const socket of waiting ?? []) if (now() - (since.get(socket) ?? 0) > idleMs) socket.destroy();
    lend(request, ...rest);
  };
  return agent;
};
