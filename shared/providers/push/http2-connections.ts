import { type Http2Reply, type Http2Request, Http2Session } from './http2-session.ts';

/** A connection that was silent for this long, in ms, is pinged before it is used: a Lambda function may have been frozen meanwhile. */
const PING_AFTER_MS = 60_000;
/** How long a ping may take, in ms. */
const PING_TIMEOUT_MS = 1_000;
/** Connections kept open; the least recently used is closed first. */
const MAX_SESSIONS = 64;

export interface ConnectionsOptions {
  readonly now: () => number;
  /** CA certificates instead of the system's. */
  readonly ca?: string | undefined;
}

/** Keeps one HTTP/2 connection per name open for reuse. */
export class Http2Connections {
  readonly #options: ConnectionsOptions;
  readonly #sessions = new Map<string, Http2Session>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /**
   * Sends a request over the connection of that name. If the connection closed without processing it, retries once over a new one within
   * the same timeout: servers close connections routinely (GOAWAY).
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

  /** The open connection if it is alive, otherwise a new one. */
  async #session(name: string, origin: string, timeoutMs: number): Promise<Http2Session> {
    const kept = this.#sessions.get(name);
    const mayBeDead = kept?.open && this.#options.now() - kept.lastHeardAt > PING_AFTER_MS;
    if (mayBeDead) await kept.isAlive(Math.min(PING_TIMEOUT_MS, timeoutMs / 2));
    // Another caller waiting for the same ping may have opened a new one.
    const known = this.#sessions.get(name);
    const session = known?.open ? known : new Http2Session(origin, this.#options.ca, this.#options.now);
    this.#sessions.delete(name);
    this.#sessions.set(name, session);
    if (this.#sessions.size > MAX_SESSIONS) this.#evict(session);
    return session;
  }

  /** Closes the least recently used idle connection; the newest is about to be used. */
  #evict(newest: Http2Session): void {
    for (const [name, session] of this.#sessions) {
      if (session.busy || session === newest) continue;
      session.close();
      this.#sessions.delete(name);
      return;
    }
  }
}
