import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import type { Duplex } from 'node:stream';
import { type EndpointPolicy, isConnectionAllowed } from '../../domain/core/public-address.ts';
import { dropIdleSockets } from '../keep-alive.ts';
import { createResolve, type Resolve } from './resolve.ts';

export type ConnectError = 'timeout' | 'connect' | 'tls' | 'dns' | 'denied_address';

/**
 * Why no connection was made. The message has only error codes and our own text: a resolved address would reveal our network to the
 * customer.
 */
export class ConnectFault extends Error {
  override readonly name = 'ConnectFault';
  readonly error: ConnectError;
  constructor(error: ConnectError, detail: string) {
    super(detail);
    this.error = error;
  }
}

/** Opens a connection to a checked address. */
export type Connect = (address: string, port: number) => net.Socket;

export interface ConnectionOptions extends EndpointPolicy {
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  /** CA certificates instead of the system's, for tests. */
  readonly ca?: string;
  /** For DNS, connect and TLS together, in ms. */
  readonly connectMs?: number;
  /** How long an idle connection is kept, in ms. */
  readonly idleMs?: number;
  /** Idle connections over all endpoints. */
  readonly maxIdle?: number;
}

/** Pooled connections to customers' endpoints. */
export interface WebhookConnections extends EndpointPolicy {
  /** An agent that checks every address it connects to; a `fresh` one does not reuse connections. */
  agent(protocol: string, fresh: boolean): http.Agent;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Longest lifetime of a connection, in ms, even if busy: DNS records and allowed addresses change. */
const MAX_LIFETIME_MS = 300_000;
const MAX_IDLE = 1_024;
/** At least what a busy endpoint uses at once, so that its connections are not closed and reopened all the time. */
const MAX_IDLE_PER_ORIGIN = 16;
/** Addresses of a name that are tried, in order; each but the last gets half of the remaining time. */
const MAX_ADDRESSES = 3;

/** For an IP address, net does no DNS lookup, so nothing resolves the name a second time. */
const connectTo: Connect = (address, port) => net.connect({ host: address, port, noDelay: true });

/** Error codes of Node.js and OpenSSL are safe to show; their messages contain addresses. */
export const codeOf = (fault: unknown): string => {
  const code = fault instanceof Error ? (fault as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : 'unknown fault';
};

/** Waits for `event`; destroys the socket if it fails or takes longer than `ms`. */
const waitFor = (
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
    // Never removed: an error without a listener, between two owners of the socket, would end the process.
    socket.on('error', () => {});
    socket.once(event, succeed).once('error', fail).once('close', closed);
  });

const withTimeout = async <T>(work: Promise<T>, ms: number): Promise<T> => {
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

/** The target's addresses. Refused if any of them is not allowed: such a DNS answer is an attack. */
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
      addresses = await withTimeout(resolve(host), ms);
    } catch (fault) {
      throw fault instanceof ConnectFault ? fault : new ConnectFault('dns', codeOf(fault));
    }
  }
  if (addresses.length === 0) throw new ConnectFault('dns', 'the name has no address');
  if (!addresses.every((address) => net.isIP(address) !== 0 && isConnectionAllowed(target, address, policy)))
    throw new ConnectFault('denied_address', 'the host has an address that may not be called');
  return addresses.slice(0, MAX_ADDRESSES);
};

/** Connects to the first address that responds. */
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
      await waitFor(socket, 'connect', last ? left : left / 2, 'connect');
      return socket;
    } catch (fault) {
      if (last) throw fault;
    }
  }
  throw new ConnectFault('connect', 'no address');
};

/** Idle connections of all origins, oldest first; above `most` the oldest is closed. */
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

/** Passes a new connection, or the reason why there is none, to the agent's callback. */
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

/**
 * Makes an agent open its connections through `open`, never through a proxy from the environment, and bounds their idle number and
 * lifetime.
 */
const withCheckedConnections = <A extends http.Agent>(
  agent: A,
  idle: ReturnType<typeof idleConnections>,
  open: (options: http.ClientRequestArgs) => Promise<net.Socket>,
): A => {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuse = agent.reuseSocket.bind(agent);
  const openedAt = new WeakMap<Duplex, number>();
  agent.createConnection = (options, callback) => {
    void handOver(open(options), (fault, socket) => {
      if (socket) {
        openedAt.set(socket, performance.now());
        socket.once('close', () => idle.remove(socket));
      }
      (callback as HandOver | undefined)?.(fault, socket);
    });
    return undefined;
  };
  agent.keepSocketAlive = (socket) => {
    const kept = performance.now() - (openedAt.get(socket) ?? 0) < MAX_LIFETIME_MS && keep(socket);
    if (kept) idle.add(socket);
    return kept;
  };
  agent.reuseSocket = (socket, request) => {
    idle.remove(socket);
    reuse(socket, request);
  };
  return agent;
};

type Open = (protocol: 'http:' | 'https:', args: http.ClientRequestArgs, deadline: number) => Promise<net.Socket>;

interface AgentOptions {
  readonly keepAlive: boolean;
  readonly idleMs: number;
  readonly connectMs: number;
  readonly ca: string | undefined;
}

/** The agents for http and https; both open their sockets through `open`. */
const checkedAgents = (
  { keepAlive, idleMs, connectMs, ca }: AgentOptions,
  idle: ReturnType<typeof idleConnections>,
  open: Open,
) => {
  const settings = { keepAlive, timeout: idleMs, maxFreeSockets: MAX_IDLE_PER_ORIGIN };
  const plain = new http.Agent(settings);
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED could disable verification otherwise.
  const secure = new https.Agent({
    ...settings,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
  });
  const upgrade = secure.createConnection.bind(secure);
  return {
    'http:': withCheckedConnections(dropIdleSockets(plain, idleMs), idle, (args) =>
      open('http:', args, performance.now() + connectMs),
    ),
    'https:': withCheckedConnections(dropIdleSockets(secure, idleMs), idle, async (args) => {
      const deadline = performance.now() + connectMs;
      const socket = await open('https:', args, deadline);
      const encrypted = upgrade({ ...args, socket } as https.RequestOptions) as net.Socket;
      await waitFor(encrypted, 'secureConnect', deadline - performance.now(), 'tls');
      return encrypted;
    }),
  };
};

/**
 * Connections to untrusted hosts. Each new one resolves its name once, checks all addresses and connects to one of the checked ones; Host,
 * SNI and the certificate's name stay those of the URL. A reused one was checked when it was opened.
 */
export const createConnections = (options: ConnectionOptions): WebhookConnections => {
  const { allowLoopbackHttp, resolve = createResolve(), connect = connectTo, ca } = options;
  const { connectMs = CONNECT_TIMEOUT_MS, idleMs = IDLE_TIMEOUT_MS, maxIdle = MAX_IDLE } = options;
  const idle = idleConnections(maxIdle);
  const open: Open = async (protocol, { host, port }, deadline) => {
    const target = { protocol, host: host ?? '', port: Number(port) };
    const addresses = await allowedAddresses(target, resolve, { allowLoopbackHttp }, connectMs);
    return connectFirst(addresses, target.port, connect, deadline);
  };
  const agentsOf = (keepAlive: boolean) => checkedAgents({ keepAlive, idleMs, connectMs, ca }, idle, open);
  const agents = { pooled: agentsOf(true), fresh: agentsOf(false) };
  return {
    allowLoopbackHttp,
    agent: (protocol, fresh) => agents[fresh ? 'fresh' : 'pooled'][protocol === 'http:' ? 'http:' : 'https:'],
    close() {
      for (const pair of Object.values(agents)) for (const agent of Object.values(pair)) agent.destroy();
    },
  };
};
