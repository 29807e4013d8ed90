import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '../domain/core/time.ts';

/**
 * Longest time, in ms, that a connection may have been idle and still be reused. Servers close idle connections (after five seconds or
 * more), and a request written to a closed connection is lost with an uncertain outcome. Timers don't ensure this: a Lambda function is
 * frozen between invocations and its timers with it. So the idle time is checked by the wall clock when a connection is reused.
 */
export const MAX_IDLE_MS = 2_000;

/**
 * The parts of undici, on which Node's fetch is built, that are used here. Node exposes fetch's default agent, and through it the class,
 * under this symbol.
 */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');
type Dispatcher = NonNullable<RequestInit['dispatcher']>;
type AgentClass = new (options: { keepAliveTimeout: number; keepAliveMaxTimeout: number }) => Dispatcher;

const newDispatcher = (): Dispatcher => {
  // Reading one of fetch's globals makes Node load undici.
  void globalThis.Headers;
  const { [GLOBAL_DISPATCHER]: known } = globalThis as { [GLOBAL_DISPATCHER]?: Dispatcher };
  if (!known) throw new Error("Node's fetch has no agent: the version of Node is not one that this was made for.");
  return new (known.constructor as AgentClass)({ keepAliveTimeout: MAX_IDLE_MS, keepAliveMaxTimeout: MAX_IDLE_MS });
};

interface Origin {
  dispatcher: Dispatcher;
  inFlight: number;
  idleSince: number;
}

/** Node's fetch, reusing a connection only within `MAX_IDLE_MS` of the last call to its origin. */
export const fetchWithFreshConnections = (now: Clock): typeof fetch => {
  const origins = new Map<string, Origin>();
  const acquire = (name: string): Origin => {
    const known = origins.get(name);
    if (known && (known.inFlight > 0 || now() - known.idleSince <= MAX_IDLE_MS)) return known;
    // Completes once responses in progress were read.
    void known?.dispatcher.close();
    const opened = { dispatcher: newDispatcher(), inFlight: 0, idleSince: 0 };
    origins.set(name, opened);
    return opened;
  };
  return async (input, init) => {
    const origin = acquire(new URL(input instanceof Request ? input.url : input).origin);
    origin.inFlight += 1;
    try {
      return await fetch(input, { ...init, dispatcher: origin.dispatcher });
    } finally {
      origin.inFlight -= 1;
      origin.idleSince = now();
    }
  };
};

/** http.Agent's hook that assigns a connection to a request. Missing in its types, but overridden by third-party agents since Node 0.12. */
interface AgentInternals {
  addRequest(request: ClientRequest, ...rest: unknown[]): void;
}

/** Makes an agent close connections that were idle for more than `idleMs` instead of reusing them. */
export const dropIdleSockets = <A extends Agent>(
  agent: A,
  idleMs: number = MAX_IDLE_MS,
  now: Clock = systemClock,
): A => {
  const internals = agent as A & AgentInternals;
  const idleSince = new WeakMap<Duplex, number>();
  const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const addRequest = internals.addRequest.bind(agent);
  agent.keepSocketAlive = (socket) => {
    idleSince.set(socket, now());
    return keepSocketAlive(socket);
  };
  internals.addRequest = (request, ...rest) => {
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) if (now() - (idleSince.get(socket) ?? 0) > idleMs) socket.destroy();
    addRequest(request, ...rest);
  };
  return agent;
};
