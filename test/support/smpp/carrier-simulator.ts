import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  bindAnswer,
  COMMAND,
  type DeliverOctets,
  deliverBody,
  pduBytes,
  type RawPdu,
  RESPONSE,
  readBind,
  readSubmit,
  type SubmitOctets,
  submitAnswer,
  takePdus,
} from './carrier-octets.ts';

/** How the carrier treats its next submit_sm. The `accept_…` are those that it has and whose answer is lost. */
export type CarrierPlay =
  | 'accept'
  | 'accept_and_hang'
  | 'accept_and_reset'
  | 'hang'
  | 'reset'
  | 'malformed'
  | 'no_id'
  | 'nack'
  | { readonly status: number };

export interface CarrierOptions {
  readonly systemId?: string;
  readonly password?: string;
  /** 0: any free one. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** The id of the n-th message; by default 8 hexadecimal digits. */
  readonly idOf?: (count: number) => string;
}

interface Bound {
  readonly socket: Socket;
  readonly command: number;
  readonly bind: ReturnType<typeof readBind>;
}

/** A carrier's SMSC on loopback. */
export const startCarrier = async ({
  systemId = 'carrier-user',
  password = 'secret',
  port = 0,
  tls,
  idOf = (count) => (0xa0000000 + count).toString(16),
}: CarrierOptions = {}) => {
  const submits: SubmitOctets[] = [];
  const accepted: { readonly id: string; readonly submit: SubmitOctets }[] = [];
  const plays: CarrierPlay[] = [];
  const bindStatuses: number[] = [];
  const binds: ReturnType<typeof readBind>[] = [];
  const bound = new Set<Bound>();
  const sockets = new Set<Socket>();
  const answers = new Map<number, (status: number | undefined) => void>();
  const held: (() => void)[] = [];
  let log: string[] = [];
  let sequence = 0;

  const accept = (submit: SubmitOctets): string => {
    const id = idOf(accepted.length);
    accepted.push({ id, submit });
    return id;
  };
  const play = (socket: Socket, { sequence: number, body }: RawPdu) => {
    const submit = readSubmit(body);
    submits.push(submit);
    const answer = (status: number, bytes?: Uint8Array) =>
      socket.write(pduBytes(COMMAND.submit + RESPONSE, status, number, bytes));
    const how = plays.shift() ?? 'accept';
    if (typeof how === 'object') return answer(how.status);
    if (how === 'nack') return socket.write(pduBytes(COMMAND.nack, 3, number));
    if (how === 'malformed') return answer(0, Buffer.alloc(80, 0x61));
    if (how === 'no_id') return answer(0, submitAnswer(''));
    if (how === 'hang') return undefined;
    if (how === 'reset') return socket.resetAndDestroy();
    const id = accept(submit);
    if (how === 'accept_and_reset') return socket.resetAndDestroy();
    if (how === 'accept_and_hang') return held.push(() => answer(0, submitAnswer(id)));
    return answer(0, submitAnswer(id));
  };

  const bind = (socket: Socket, { command, sequence: number, body }: RawPdu) => {
    const found = readBind(body);
    binds.push(found);
    const known = found.systemId === systemId ? (found.password === password ? 0 : 0x0e) : 0x0f;
    const status = bindStatuses.shift() ?? known;
    socket.write(pduBytes(command + RESPONSE, status, number, status === 0 ? bindAnswer('carrier') : undefined));
    if (status === 0) bound.add({ socket, command, bind: found });
  };

  const take = (socket: Socket, pdu: RawPdu) => {
    const { command, status, sequence: number } = pdu;
    log.push(`${command.toString(16)} ${status}`);
    if (command === COMMAND.submit) play(socket, pdu);
    else if ([COMMAND.bindReceiver, COMMAND.bindTransmitter, COMMAND.bindTransceiver].some((one) => one === command))
      bind(socket, pdu);
    else if (command === COMMAND.enquire || command === COMMAND.unbind) {
      socket.write(pduBytes(command + RESPONSE, 0, number));
      if (command === COMMAND.unbind) socket.end();
    } else if (command === COMMAND.deliver + RESPONSE) {
      answers.get(number)?.(status);
      answers.delete(number);
    } else if (command < RESPONSE) socket.write(pduBytes(COMMAND.nack, 3, number));
  };

  let connections = 0;
  const serve = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    let read: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const { pdus, rest } = takePdus(Buffer.concat([read, chunk]));
      read = rest;
      for (const pdu of pdus) take(socket, pdu);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      for (const one of bound) if (one.socket === socket) bound.delete(one);
      if (bound.size === 0) for (const settle of answers.values()) settle(undefined);
    });
  };
  const server = tls ? createTlsServer(tls, serve) : createServer(serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    submits,
    accepted,
    binds,
    /** How many there have been. */
    connections: () => connections,
    /** The connections that are bound. */
    bound: () => [...bound],
    /** The PDUs that arrived since the last call, as command and status. */
    log: () => {
      const came = log;
      log = [];
      return came;
    },
    script: (...more: readonly CarrierPlay[]) => void plays.push(...more),
    /** Answers the next binds with these statuses, whoever binds. */
    refuseBinds: (...statuses: readonly number[]) => void bindStatuses.push(...statuses),
    /** Sends the answers that were held back. */
    answerHeld: () => {
      for (const answer of held.splice(0)) answer();
    },
    /** Delivers to a bind that receives; the status of the response, undefined where the connection ended before one. */
    deliver: (message: DeliverOctets): Promise<number | undefined> => {
      const receiver = [...bound].find(({ command }) => command !== COMMAND.bindTransmitter);
      if (!receiver) throw new Error('nobody receives');
      const number = ++sequence;
      receiver.socket.write(pduBytes(COMMAND.deliver, 0, number, deliverBody(message)));
      return new Promise((resolve) => answers.set(number, resolve));
    },
    /** Ends all connections, as a carrier that dies. */
    drop: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};
export type Carrier = Awaited<ReturnType<typeof startCarrier>>;
