import * as net from 'node:net';

/** A proxy of a port of this machine that can stop forwarding, as a network does that dropped a connection. */
export const startNetwork = async (port: number) => {
  const sockets = new Set<net.Socket>();
  let made = 0;
  const network = net.createServer((client) => {
    made += 1;
    const server = net.connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => {}).on('close', () => to.destroy());
      from.pipe(to);
    }
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
  });
  await new Promise<void>((ready) => network.listen(0, '127.0.0.1', ready));
  return {
    port: (network.address() as net.AddressInfo).port,
    made: () => made,
    open: () => sockets.size,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().resume();
    },
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => network.close(closed));
    },
  };
};
