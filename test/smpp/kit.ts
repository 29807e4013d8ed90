import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { decodePdu, encodePdu, pduOf } from '../../shared/smpp/codec.ts';
import { createFramer } from '../../shared/smpp/framing.ts';
import type { Body, Command, Pdu } from '../../shared/smpp/pdus.ts';
import { Session } from '../../shared/smpp/session.ts';
import type { BindAnswer, CloseReason, SessionHandlers, SessionOptions } from '../../shared/smpp/session-types.ts';
import { STATUSES, type StatusName } from '../../shared/smpp/statuses.ts';
import type { Timers } from '../../shared/smpp/timers.ts';
import type { Tlv } from '../../shared/smpp/tlvs.ts';

/** Time that a test moves. */
export const manualTimers = () => {
  let now = 0;
  const due = new Set<{ readonly at: number; readonly work: () => void }>();
  const timers: Timers = {
    now: () => now,
    after: (ms, work) => {
      const one = { at: now + ms, work };
      due.add(one);
      return () => void due.delete(one);
    },
  };
  return {
    timers,
    /** Timers that wait. */
    waiting: () => due.size,
    /** Lets time pass, with everything that falls due, and gives the streams turns in between. */
    async pass(ms: number): Promise<void> {
      const end = now + ms;
      for (;;) {
        await turns();
        const next = [...due].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
        if (!next) break;
        due.delete(next);
        now = next.at;
        next.work();
      }
      now = end;
      await turns();
    },
  };
};

/** Waits until pending streams and promises have settled. */
export const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A peer of bytes: writes any, and keeps the PDUs that it reads. */
export const peerOf = (stream: {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  write(bytes: Uint8Array): boolean;
}) => {
  const framer = createFramer();
  const read: Pdu[] = [];
  let sequence = 0;
  stream.on('data', (chunk) => {
    for (const frame of framer.push(chunk).frames) {
      const decoded = decodePdu(frame);
      if (decoded.ok) read.push(decoded.pdu);
    }
  });
  return {
    read,
    /** The commands that came, with their statuses by name. */
    log: () => read.map(({ command, status }) => `${command} ${nameOf(status)}`),
    write: (bytes: Uint8Array) => stream.write(bytes),
    send<C extends Command>(command: C, body: Partial<Body<C>> = {}, tlvs: readonly Tlv[] = []): number {
      sequence++;
      stream.write(encodePdu(pduOf(command, sequence, body, { tlvs }) as Pdu));
      return sequence;
    },
    answer(to: Pdu, status: StatusName = 'ESME_ROK'): void {
      const response = `${to.command}_resp` as 'deliver_sm_resp';
      stream.write(encodePdu(pduOf(response, to.sequence, {}, { status })));
    },
  };
};
const nameOf = (status: number): string =>
  Object.entries(STATUSES).find(([, code]) => code === status)?.[0] ?? String(status);

const OPEN: BindAnswer = { status: 'ESME_ROK', systemId: 'smsc' };
export const accepting = (handlers: Partial<SessionHandlers> = {}): SessionHandlers => ({
  bind: async () => OPEN,
  request: async () => ({ body: { messageId: 'msg_1' } }),
  ...handlers,
});

/** A server's session in memory, with a peer of bytes and time that the test moves. */
export const memorySession = (handlers: Partial<SessionHandlers> = {}, options: Partial<SessionOptions> = {}) => {
  const [near, far] = duplexPair();
  const clock = manualTimers();
  const closed: CloseReason[] = [];
  const session = new Session({
    side: 'server',
    stream: near,
    handlers: accepting({ closed: (reason) => closed.push(reason), ...handlers }),
    timers: clock.timers,
    ...options,
  });
  return { session, peer: peerOf(far), clock, closed, near, far };
};

/** A server on a real socket; sessions are those that connected. */
export const socketServer = async (handlers: Partial<SessionHandlers> = {}, options: Partial<SessionOptions> = {}) => {
  const sessions: Session[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    sessions.push(new Session({ side: 'server', stream: socket, handlers: accepting(handlers), ...options }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    sessions,
    sockets,
    /** Drops what has ended, as a server does. */
    forget() {
      for (let at = sockets.length - 1; at >= 0; at--)
        if (sockets[at]?.destroyed && sessions[at]?.state === 'closed') {
          sockets.splice(at, 1);
          sessions.splice(at, 1);
        }
    },
    async connect() {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {});
      return socket;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
