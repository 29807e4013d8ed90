import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { SmppConnection, type SmppStages } from './smpp-connection.ts';

/** Connections at once: each may hold a PDU and the answers to 64 KB of requests. */
const MAX_CONNECTIONS = 2_000;

export interface SmppServer {
  readonly port: number;
  /** Takes no connection any more, answers what has begun, unbinds, and frees the binds. */
  close(): Promise<void>;
}

/** Listens for binds. Rejects with the error of the socket where the port cannot be had. */
export const startSmppServer = async (
  { port, host }: { readonly port: number; readonly host: string },
  stages: SmppStages,
): Promise<SmppServer> => {
  const connections = new Set<SmppConnection>();
  const freeing = new Set<Promise<unknown>>();
  const server = createServer((socket) => {
    const connection = new SmppConnection(socket, stages);
    connections.add(connection);
    socket.on('close', () => {
      connections.delete(connection);
      const { freed } = connection;
      freeing.add(freed);
      void freed.then(() => freeing.delete(freed));
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      await Promise.all(Array.from(connections, ({ session }) => session.unbind()));
      await Promise.all([...Array.from(connections, ({ freed }) => freed), ...freeing]);
    },
  };
};
