import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';
import { type EndpointPolicy, mayConnect } from '../../domain/webhooks/address.ts';
import { lendsFresh } from '../kept-connections.ts';
import { createResolve, type Resolve } from './resolve.ts';

export type ConnectError = 'timeout' | 'connect' | 'tls' | 'dns' | 'denied_address';

/** Why there is no connection. Details are codes and words of ours: an address we found out would map our network for a stranger. */
export class ConnectFault extends Error {
  override readonly name = 'ConnectFault';
  readonly error: ConnectError;
  constructor(error: ConnectError, detail: string) {
    super(detail);
    this.error = error;
  }
}

/** Begins a connection to an address that was checked. */
export type Connect = (address: string, port: number) => net.Socket;

export interface ConnectionOptions extends EndpointPolicy {
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  /** Certificates to trust instead of the system's: for tests. */
  readonly ca?: string;
  /** For name, connection and TLS together, in ms. */
  readonly connectMs?: number;
  /** How long a connection may wait for its next request, in ms. */
  readonly idleMs?: number;
  /** How many may wait, over all endpoints. */
  readonly mostIdle?: number;
}

/** Connections to endpoints, kept for their next request. */
export interface WebhookConnections extends EndpointPolicy {
  /** Lends connections; a `fresh` one has carried nothing before, and is not kept. */
  agent(protocol: string, fresh: boolean): http.Agent;
  close(): void;
}

const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;
/** A connection leaves its address after this, in ms, however busy: names move, and so may what is allowed. */
const LONGEST_LIFE_MS = 300_000;
const MOST_IDLE = 1_024;
/** As many as a busy endpoint uses at once: what is closed is opened again at once. */
const MOST_IDLE_PER_ORIGIN = 16;
/** Addresses of one name that are tried, in their order; each but the last gets its share of the time. */
const MOST_TRIES = 3;

/** A literal is connected to as it stands: net asks no `lookup` for it, so that nothing can resolve it a second time. */
const connectTo: Connect = (address, port) => net.connect({ host: address, port, noDelay: true });

/** Codes of Node.js and OpenSSL are safe to show; messages name addresses. */
export const codeOf = (fault: unknown): string => {
  const code = fault instanceof Error ? (fault as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : 'unknown fault';
};

/** Waits until a socket is ready; destroys it when that fails or takes longer than `ms`. */
const ready = (
  socket: net.Socket,
  event: 'connect' | 'secureConnect',
  ms: number,
  error: ConnectError,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (fault?: ConnectFault) => {
      clearTimeout(timer);
      socket.off(event, succeed).off('error', fail).off('close', closed);
      if (!fault) return resolve();
      socket.destroy();
      reject(fault);
    };
    const succeed = () => end();
    const fail = (fault: unknown) => end(new ConnectFault(error, codeOf(fault)));
    const closed = () => end(new ConnectFault(error, 'closed'));
    const timer = setTimeout(
      () => end(new ConnectFault('timeout', `no connection in time (${event})`)),
      Math.max(0, ms),
    );
    // Stays: between two owners a fault would have no listener, and a stranger's reset would end the process.
    socket.on('error', () => {});
    socket.once(event, succeed).once('error', fail).once('close', closed);
  });

const within = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectFault('timeout', 'the name was not resolved in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

interface Target {
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
}

/** The addresses of a target, all of them allowed. One that is not refuses the name: who answers so is trying something. */
const allowedAddresses = async (
  target: Target,
  resolve: Resolve,
  policy: EndpointPolicy,
  ms: number,
): Promise<readonly string[]> => {
  const { host } = target;
  let addresses: readonly string[] = [host];
  if (net.isIP(host) === 0) {
    try {
      addresses = await within(resolve(host), ms);
    } catch (fault) {
      throw fault instanceof ConnectFault ? fault : new ConnectFault('dns', codeOf(fault));
    }
  }
  if (addresses.length === 0) throw new ConnectFault('dns', 'the name has no address');
  if (!addresses.every((address) => net.isIP(address) !== 0 && mayConnect(target, address, policy)))
    throw new ConnectFault('denied_address', 'the host has an address that may not be called');
  return addresses.slice(0, MOST_TRIES);
};

/** Connects to the first address that answers. */
const connectFirst = async (
  addresses: readonly string[],
  port: number,
  connect: Connect,
  deadline: number,
): Promise<net.Socket> => {
  for (const [index, address] of addresses.entries()) {
    const left = deadline - performance.now();
    const last = index === addresses.length - 1;
    const socket = connect(address, port);
    try {
      await ready(socket, 'connect', last ? left : left / 2, 'connect');
      return socket;
    } catch (fault) {
      if (last) throw fault;
    }
  }
  throw new ConnectFault('connect', 'no address');
};

/** Idle connections over all origins, oldest first; beyond a bound the oldest is closed. */
const idleConnections = (most: number) => {
  const idle = new Set<Duplex>();
  return {
    add(socket: Duplex) {
      idle.delete(socket);
      idle.add(socket);
      if (idle.size > most) (idle.values().next().value as Duplex).destroy();
    },
    remove: (socket: Duplex) => void idle.delete(socket),
  };
};

type HandOver = (fault: Error | null, socket?: Duplex) => void;

/** Gives a connection, or why there is none, to whoever waits for it; one that broke meanwhile is none. */
const handOver = async (opening: Promise<net.Socket>, give: HandOver): Promise<void> => {
  let socket: net.Socket;
  try {
    socket = await opening;
    if (socket.destroyed) throw new ConnectFault('connect', 'closed');
  } catch (fault) {
    return give(fault instanceof ConnectFault ? fault : new ConnectFault('connect', codeOf(fault)));
  }
  return give(null, socket);
};

/** Makes an agent open its connections through `open`, keep them within bounds, and never through a proxy of the environment. */
const checked = <A extends http.Agent>(
  agent: A,
  idle: ReturnType<typeof idleConnections>,
  open: (options: http.ClientRequestArgs) => Promise<net.Socket>,
): A => {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  const bornAt = new WeakMap<Duplex, number>();
  agent.createConnection = (options, callback) => {
    void handOver(open(options), (fault, socket) => {
      if (socket) {
        bornAt.set(socket, performance.now());
        socket.once('close', () => idle.remove(socket));
      }
      (callback as HandOver | undefined)?.(fault, socket);
    });
    return undefined;
  };
  agent.keepSocketAlive = (socket) => {
    const kept = performance.now() - (bornAt.get(socket) ?? 0) < LONGEST_LIFE_MS && keep(socket);
    if (kept) idle.add(socket);
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    idle.remove(socket);
    reuse(socket, request);
  };
  return agent;
};

/**
 * Connections to strangers. Every new one resolves its name once, checks all answers, and goes to one of the checked addresses;
 * Host, SNI and the certificate's name stay the URL's. A kept one is to an address that was checked when it was opened.
 */
export const createConnections = (options: ConnectionOptions): WebhookConnections => {
  const {
    allowLoopbackHttp,
    resolve = createResolve(),
    connect = connectTo,
    connectMs = CONNECT_MS,
    idleMs = IDLE_MS,
    ca,
  } = options;
  const idle = idleConnections(options.mostIdle ?? MOST_IDLE);
  const openPlain = async (target: Target, deadline: number): Promise<net.Socket> => {
    const addresses = await allowedAddresses(target, resolve, { allowLoopbackHttp }, connectMs);
    return connectFirst(addresses, target.port, connect, deadline);
  };
  const targetOf = (protocol: string, { host, port }: http.ClientRequestArgs): Target => ({
    protocol,
    host: host ?? '',
    port: Number(port),
  });
  const make = (keepAlive: boolean) => {
    const settings = { keepAlive, timeout: idleMs, maxFreeSockets: MOST_IDLE_PER_ORIGIN };
    // Explicit, because an environment variable (NODE_TLS_REJECT_UNAUTHORIZED) turns verification off where nothing is said.
    const secure = new https.Agent({
      ...settings,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca }),
    });
    const upgrade = secure.createConnection.bind(secure);
    return {
      'http:': checked(lendsFresh(new http.Agent(settings), idleMs), idle, (asked) =>
        openPlain(targetOf('http:', asked), performance.now() + connectMs),
      ),
      'https:': checked(lendsFresh(secure, idleMs), idle, async (asked) => {
        const deadline = performance.now() + connectMs;
        const socket = await openPlain(targetOf('https:', asked), deadline);
        const encrypted = upgrade({ ...asked, socket } as https.RequestOptions) as net.Socket;
        await ready(encrypted, 'secureConnect', deadline - performance.now(), 'tls');
        return encrypted;
      }),
    };
  };
  const agents = { pooled: make(true), fresh: make(false) };
  return {
    allowLoopbackHttp,
    agent: (protocol, fresh) => agents[fresh ? 'fresh' : 'pooled'][protocol === 'http:' ? 'http:' : 'https:'],
    close() {
      for (const pair of Object.values(agents)) for (const agent of Object.values(pair)) agent.destroy();
    },
  };
};
