import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { SmppConnection } from './smpp-connection.ts';
import { SmppDeliverer } from './smpp-deliverer.ts';
import type { SmppStages } from './smpp-stages.ts';

/** Concurrent connections: each may hold a PDU and the responses to 64 KB of requests. */
const MAX_CONNECTIONS = 2_000;

/** A certificate with its chain, and its private key; PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const TLS = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;

export interface AccountCounts {
  readonly connections: number;
  /** Connections over which an account is bound. */
  readonly binds: number;
  /** Refused binds since the last count. */
  readonly refusedBinds: number;
  /** deliver_sm that their accounts temporarily refused, or did not answer, since the last count. */
  readonly notTaken: number;
}

export interface SmppServer {
  readonly port: number;
  counts(): AccountCounts;
  /** Accepts no further connections, starts no deliveries, answers requests in progress, unbinds, and frees the binds. */
  close(): Promise<void>;
}

/** Listens for binds; with a certificate, over TLS alone. Rejects with the socket's error if the port is unavailable. */
export const startSmppServer = async (
  { port, host, certificate }: { readonly port: number; readonly host: string; readonly certificate?: Certificate },
  stages: SmppStages,
): Promise<SmppServer> => {
  const deliverer = new SmppDeliverer(stages);
  const connections = new Set<SmppConnection>();
  const freeing = new Set<Promise<unknown>>();
  let refusedBinds = 0;
  const onRefused = () => {
    refusedBinds += 1;
  };
  const serve = (socket: Socket) => {
    const connection = new SmppConnection(socket, stages, deliverer, onRefused);
    connections.add(connection);
    socket.on('close', () => {
      connections.delete(connection);
      const { freed } = connection;
      freeing.add(freed);
      void freed.then(() => freeing.delete(freed));
    });
  };
  const server = certificate ? createTlsServer({ ...TLS, ...certificate }, serve) : createServer(serve);
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    counts: () => {
      const binds = Array.from(connections).filter(({ isBound }) => isBound).length;
      const counts = { connections: connections.size, binds, refusedBinds, notTaken: deliverer.countNotTaken() };
      refusedBinds = 0;
      return counts;
    },
    async close() {
      server.close();
      const { ended } = await deliverer.stop();
      await Promise.all(Array.from(connections, ({ session }) => session.unbind()));
      await Promise.all([...Array.from(connections, ({ freed }) => freed), ...freeing]);
      await ended;
    },
  };
};
