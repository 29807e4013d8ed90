import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { encodePdu, pduOf } from '../../shared/smpp/codec.ts';
import { PATIENCE } from '../support/patience.ts';
import { peerOf } from './kit.ts';

/** Fewer that do not read, since the kernel holds megabytes of each before the server has to. */
const CONNECTIONS = { slowWriter: 200, slowReader: 12 };
const KB = 1_024;
/**
 * The memory of a connection: an unfinished PDU, or the responses to the 64 KB of requests that were read before its peer stopped reading.
 */
const MAX_BYTES = { slowWriter: 160 * KB, slowReader: 384 * KB };

const server = fork(new URL('./memory-process.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
afterAll(() => {
  server.kill();
});
const [{ port }] = (await once(server, 'message')) as [{ readonly port: number }];
const ask = async () => {
  const answer = once(server, 'message');
  server.send('how much?');
  const [{ sessions, bytes }] = (await answer) as [{ readonly sessions: number; readonly bytes: number }];
  return { sessions, bytes };
};
/** Until what is held grows no more: what the peers wrote was read, as far as it will be. */
const settled = async () => {
  for (let before = await ask(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = await ask();
    if (Math.abs(now.bytes - before.bytes) < 64 * KB) return now;
    before = now;
  }
};

const bind = encodePdu(pduOf('bind_transceiver', 1, { systemId: 'client' }));
const bound = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bind);
  await once(socket, 'data');
  return socket;
};
const end = async (sockets: readonly Socket[]) => {
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await ask()).sessions, PATIENCE).toBeLessThanOrEqual(1);
};

const measured = async (what: keyof typeof MAX_BYTES, load: (socket: Socket) => void) => {
  const healthy = await bound();
  const before = await settled();
  const connections = CONNECTIONS[what];
  const sockets = await Promise.all(Array.from({ length: connections }, bound));
  for (const socket of sockets) load(socket);
  const { bytes } = await settled();
  const each = (bytes - before.bytes) / connections;
  console.log(`${what}: ${connections} connections hold ${Math.round(each / KB)} KB each`);
  expect(each).toBeLessThan(MAX_BYTES[what]);

  const peer = peerOf(healthy);
  peer.send('submit_sm', { shortMessage: Buffer.from('still here') });
  await expect.poll(peer.log, PATIENCE).toEqual(['submit_sm_resp ESME_ROK']);
  await end(sockets);
  healthy.destroy();
  expect((await settled()).bytes - before.bytes).toBeLessThan(8 * KB * KB);
};

test(
  `${CONNECTIONS.slowWriter} peers that never end their PDU hold one of 64 KB each at most, and nothing once they are gone; others are served`,
  {
    timeout: 180_000,
  },
  () =>
    measured('slowWriter', (socket) => {
      const pdu = Buffer.alloc(65_000);
      pdu.writeUInt32BE(65_536, 0);
      pdu.writeUInt32BE(4, 4);
      socket.write(pdu);
    }),
);

test(
  `${CONNECTIONS.slowReader} peers that do not read what they are answered hold the answers to 64 KB of requests each at most, and nothing once they are gone; others are served`,
  {
    timeout: 180_000,
  },
  () =>
    measured('slowReader', (socket) => {
      socket.pause();
      const links = Buffer.concat(Array.from({ length: 4_096 }, (_, at) => encodePdu(pduOf('enquire_link', at + 2))));
      const flood = () => {
        for (let turn = 0; turn < 64; turn++) if (!socket.write(links)) return;
      };
      socket.on('drain', flood);
      flood();
    }),
);
