import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { encodePdu, pduOf } from '../../shared/smpp/codec.ts';
import { tlv } from '../../shared/smpp/tlvs.ts';
import { PATIENCE } from '../support/patience.ts';
import { peerOf, socketServer } from './kit.ts';

const ends: (() => Promise<void>)[] = [];
const serverOf = async (...setup: Parameters<typeof socketServer>) => {
  const server = await socketServer(...setup);
  ends.push(server.close);
  return server;
};
afterAll(async () => {
  for (const end of ends) await end();
});

const boundTo = async (server: Awaited<ReturnType<typeof serverOf>>) => {
  const socket = await server.connect();
  const peer = peerOf(socket);
  peer.send('bind_transceiver', { systemId: 'client' });
  await vi.waitFor(() => expect(peer.log()).toEqual(['bind_transceiver_resp ESME_ROK']), PATIENCE);
  peer.read.length = 0;
  const index = server.sessions.length - 1;
  const [session, near] = [server.sessions[index], server.sockets[index]];
  if (!session || !near) throw new Error('no session');
  return { socket, peer, session, near };
};
/** Writes until the peer is not read from and takes no more for a while; how many bytes it took. */
const flood = async (socket: Socket, bytes: Buffer, near: Socket): Promise<number> => {
  for (;;) {
    const before = near.bytesRead;
    for (let turn = 0; turn < 200; turn++) if (!socket.write(bytes)) break;
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (near.isPaused() && near.bytesRead === before) return before;
  }
};
/** The buffered responses of a session: a chunk of a socket is 64 KB, which is 4,096 headers, each with a response of the same size. */
const MAX_WRITTEN = 512 * 1024;

describe('a peer that does not read what it is answered', () => {
  it('is not read from, so that at most the responses to one chunk are held, and is served when it reads again', async () => {
    const server = await serverOf();
    const { socket, peer, near } = await boundTo(server);
    const other = await boundTo(server);
    socket.pause();
    const links = Buffer.concat(Array.from({ length: 4_096 }, (_, at) => encodePdu(pduOf('enquire_link', at + 1))));
    await flood(socket, links, near);
    expect(near.isPaused()).toBe(true);
    expect(near.writableLength).toBeGreaterThan(0);
    expect(near.writableLength).toBeLessThan(MAX_WRITTEN);

    other.peer.send('submit_sm');
    await vi.waitFor(() => expect(other.peer.log()).toEqual(['submit_sm_resp ESME_ROK']), PATIENCE);

    const written = near.bytesRead;
    socket.resume();
    await vi.waitFor(() => expect(near.bytesRead).toBeGreaterThan(written), PATIENCE);
    await vi.waitFor(() => expect(near.writableLength).toBe(0), PATIENCE);
    expect(peer.log().every((one) => one === 'enquire_link_resp ESME_ROK')).toBe(true);
  });

  it('holds back our requests, of which few wait', async () => {
    const limits = { sendWindow: 100_000, sendQueue: 10 };
    const server = await serverOf({}, { limits });
    const { socket, session, near } = await boundTo(server);
    socket.pause();
    const kinds: Record<string, number> = {};
    const payload = tlv('message_payload', Buffer.alloc(60_000));
    for (let sent = 0; sent < 2_000; sent++)
      void session.request('deliver_sm', {}, [payload]).then(({ kind }) => {
        kinds[kind] = (kinds[kind] ?? 0) + 1;
      });
    await vi.waitFor(() => expect(kinds.busy).toBeGreaterThan(0), PATIENCE);
    expect(near.writableLength).toBeLessThan(MAX_WRITTEN);
    socket.destroy();
    await vi.waitFor(() => expect((kinds.busy ?? 0) + (kinds.closed ?? 0)).toBe(2_000), PATIENCE);
  });
});

describe('a peer that writes slowly', () => {
  it('is understood byte by byte', async () => {
    const server = await serverOf();
    const { socket, peer } = await boundTo(server);
    const bytes = encodePdu(pduOf('submit_sm', 9, { shortMessage: Buffer.from('slowly') }));
    for (const byte of bytes) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(peer.read).toMatchObject([{ command: 'submit_sm_resp', sequence: 9 }]), PATIENCE);
  });

  it('and never ends its PDU is cut off after the silence, and holds as much as it has sent', async () => {
    const closed = vi.fn();
    const server = await serverOf({ closed }, { limits: { enquireMs: 200, idleMs: 600 } });
    const { socket } = await boundTo(server);
    socket.write(Buffer.from('0000ffff00000004', 'hex'));
    await once(socket, 'close');
    expect(closed).toHaveBeenCalledWith('silent');
  });
});

it('a peer that never closes is cut off after an end, and one that vanishes ends its session', async () => {
  const closed = vi.fn();
  const server = await serverOf({ closed }, { limits: { unbindMs: 200 } });
  const { socket, near, session } = await boundTo(server);
  socket.pause();
  const gone = once(near, 'close');
  await session.unbind();
  await gone;
  expect(closed).toHaveBeenCalledWith('stopped');

  const vanished = await boundTo(server);
  vanished.socket.resetAndDestroy();
  await vi.waitFor(() => expect(closed).toHaveBeenCalledWith('disconnected'), PATIENCE);
});
