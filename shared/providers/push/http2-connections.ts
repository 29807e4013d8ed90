import { type Http2Reply, type Http2Request, Http2Session } from './http2-session.ts';

/** A connection that was silent for so long, in ms, is asked for a sign of life: a function's machine may have slept meanwhile. */
const QUIET_MS = 60_000;
/** How long a sign of life may take, in ms. */
const PING_MS = 1_000;
/** Connections kept at once; the one used longest ago leaves first. */
const MOST_SESSIONS = 64;

export interface ConnectionsOptions {
  readonly now: () => number;
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
}

/** HTTP/2 connections, one for each name, kept for the next request. */
export class Http2Connections {
  readonly #options: ConnectionsOptions;
  readonly #sessions = new Map<string, Http2Session>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Sends a request over the connection of that name. One that a connection ended without processing goes once more over a new one,
   * within the same time: servers say goodbye to connections as a matter of course.
   */
  async send(name: string, origin: string, request: Http2Request, timeoutMs: number): Promise<Http2Reply> {
    const deadline = performance.now() + timeoutMs;
    const first = await this.#session(name, origin, timeoutMs);
    const reply = await first.send(request, deadline - performance.now());
    if (reply.kind !== 'not_sent' || first.open) return reply;
    const left = deadline - performance.now();
    return left > 0 ? (await this.#session(name, origin, left)).send(request, left) : reply;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  /** The kept connection if it still answers, else a new one. */
  async #session(name: string, origin: string, timeoutMs: number): Promise<Http2Session> {
    const kept = this.#sessions.get(name);
    const quiet = kept?.open && this.#options.now() - kept.heardAt > QUIET_MS;
    if (quiet) await kept.answers(Math.min(PING_MS, timeoutMs / 2));
    // Whoever waited for the same sign of life may have opened the next one.
    const known = this.#sessions.get(name);
    const session = known?.open ? known : new Http2Session(origin, this.#options.ca, this.#options.now);
    this.#sessions.delete(name);
    this.#sessions.set(name, session);
    if (this.#sessions.size > MOST_SESSIONS) this.#evict(session);
    return session;
  }

  /** Ends the connection that was used longest ago and carries nothing now; the newest is about to. */
  #evict(newest: Http2Session): void {
    for (const [name, session] of this.#sessions) {
      if (session.busy || session === newest) continue;
      session.close();
      this.#sessions.delete(name);
      return;
    }
  }
}
