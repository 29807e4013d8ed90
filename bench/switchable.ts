import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server on this machine that can be cut: then connections are reset, and new ones too, as of a service that is away. */
export const startSwitchable = async (target: string) => {
  const { port, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  let away = false;
  const server = createServer((client) => {
    if (away) return client.resetAndDestroy();
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Whether the server is away from now on. */
    set(next: boolean): void {
      away = next;
      if (away) cut();
    },
    async close(): Promise<void> {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
