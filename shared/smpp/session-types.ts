import type { BindCommand, PduOf, Request } from './pdus.ts';
import type { StatusName } from './statuses.ts';
import type { Timers } from './timers.ts';
import type { Tlv } from './tlvs.ts';

/** The stream of a session: what it uses of a socket. */
export interface Stream {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'drain' | 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** False once the peer reads more slowly than is written: `drain` says when it has caught up. */
  write(bytes: Uint8Array): boolean;
  pause(): unknown;
  resume(): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** `open` is connected and not bound; `unbinding` answers what has begun and takes nothing new. */
export type SessionState = 'open' | 'transmitter' | 'receiver' | 'transceiver' | 'unbinding' | 'closed';

/** Times in ms, numbers of requests. */
export interface SessionLimits {
  /** A connection that is not bound by then is closed. */
  readonly bindMs: number;
  /** After this much silence the peer is asked whether it is there. */
  readonly enquireMs: number;
  /** After this much silence the connection is closed. */
  readonly idleMs: number;
  readonly responseMs: number;
  /** How long an unbind waits for what has begun and for its response, and a close for the peer's. */
  readonly unbindMs: number;
  /** The peer's requests that may be without a response: more are refused with ESME_RTHROTTLED. */
  readonly window: number;
  /** Our requests that may be without a response, and those that may wait for that. */
  readonly sendWindow: number;
  readonly sendQueue: number;
}

export const SESSION_LIMITS: SessionLimits = {
  bindMs: 10_000,
  enquireMs: 30_000,
  idleMs: 90_000,
  responseMs: 30_000,
  unbindMs: 5_000,
  window: 32,
  sendWindow: 32,
  sendQueue: 32,
};

/** What a request is answered with. */
export interface Answer {
  readonly status?: StatusName;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly tlvs?: readonly Tlv[];
}

/** What a bind is answered with. */
export interface BindAnswer {
  readonly status: StatusName;
  /** Our name for ourselves. */
  readonly systemId: string;
  /** Instead of the limits' own. */
  readonly window?: number;
  /** Gives back what the bind took; called once, when the session has ended or ended before the answer came. */
  readonly release?: () => void;
}

/** Requests that concern messages: everything else is answered by the session itself. */
export type MessageRequest = Exclude<Request, BindCommand | 'unbind' | 'enquire_link'>;
export type MessagePdu = { [C in MessageRequest]: PduOf<C> }[MessageRequest];
export type BindPdu = { [C in BindCommand]: PduOf<C> }[BindCommand];

export interface SessionHandlers {
  /** Answers a bind; absent on the side that binds. */
  readonly bind?: (pdu: BindPdu) => Promise<BindAnswer>;
  /** Answers a request that the state allows. */
  readonly request: (pdu: MessagePdu) => Promise<Answer>;
  /** A handler failed: its request was answered with ESME_RSYSERR. */
  readonly failed?: (error: unknown) => void;
  /** The session has ended, and why; called once. */
  readonly closed?: (reason: CloseReason) => void;
}

export type CloseReason = 'unbound' | 'not_bound' | 'silent' | 'broken' | 'disconnected' | 'stopped';

export interface SessionOptions {
  readonly side: 'server' | 'client';
  readonly stream: Stream;
  readonly handlers: SessionHandlers;
  readonly timers?: Timers;
  readonly limits?: Partial<SessionLimits>;
}
