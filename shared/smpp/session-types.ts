import type { BindCommand, PduOf, Request } from './pdus.ts';
import type { StatusName } from './statuses.ts';
import type { Timers } from './timers.ts';
import type { Tlv } from './tlvs.ts';

/** The part of a socket that a session uses. */
export interface Stream {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'drain' | 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** False while the peer reads more slowly than the session writes, until `drain`. */
  write(bytes: Uint8Array): boolean;
  pause(): unknown;
  resume(): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** `open` is connected and not bound; `unbinding` answers requests in progress and accepts no new ones. */
export type SessionState = 'open' | 'transmitter' | 'receiver' | 'transceiver' | 'unbinding' | 'closed';

/** Times in ms, numbers of requests. */
export interface SessionLimits {
  /** A connection that is not bound by then is closed. */
  readonly bindMs: number;
  /** After this much silence an enquire_link is sent. */
  readonly enquireMs: number;
  /** After this much silence the connection is closed. */
  readonly idleMs: number;
  readonly responseMs: number;
  /** How long an unbind waits for requests in progress and for its response, and a close for the peer's. */
  readonly unbindMs: number;
  /** The peer's concurrent requests: more are refused with ESME_RTHROTTLED. */
  readonly window: number;
  /** Our concurrent requests, and those that may wait. */
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

/** The response to a request. */
export interface Answer {
  readonly status?: StatusName;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly tlvs?: readonly Tlv[];
}

/** The response to a bind. */
export interface BindAnswer {
  readonly status: StatusName;
  /** Our system_id. */
  readonly systemId: string;
  /** Overrides the limits. */
  readonly window?: number;
  /** Releases the bind's slot; called once, when the session has ended or ended before the response. */
  readonly release?: () => void;
}

/** Requests that concern messages: the session itself answers all others. */
export type MessageRequest = Exclude<Request, BindCommand | 'unbind' | 'enquire_link'>;
export type MessagePdu = { [C in MessageRequest]: PduOf<C> }[MessageRequest];
export type BindPdu = { [C in BindCommand]: PduOf<C> }[BindCommand];

export interface SessionHandlers {
  /** Answers a bind; absent on the side that binds. */
  readonly bind?: (pdu: BindPdu) => Promise<BindAnswer>;
  /** Answers a request that is valid in the current state. */
  readonly request: (pdu: MessagePdu) => Promise<Answer>;
  /** A handler failed: its request was answered with ESME_RSYSERR. */
  readonly failed?: (error: unknown) => void;
  /** The session has ended, with the reason; called once. */
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
