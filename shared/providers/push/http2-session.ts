import * as http2 from 'node:http2';
import { faultBeforeSending } from '../http.ts';

/** Result of a request. `not_sent`: certainly not processed by the server (RFC 9113, 6.8 and 8.7). `lost`: it may have been. */
export type Http2Reply =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: http2.IncomingHttpHeaders;
      readonly body: string;
    }
  | { readonly kind: 'not_sent'; readonly detail: string }
  | { readonly kind: 'lost'; readonly detail: string };

export interface Http2Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Concurrent streams per connection; the server's limit applies if it is lower. */
const MAX_STREAMS = 500;
/** Responses are a status and a short reason. */
const MAX_BYTES = 16 * 1024;
const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = http2.constants;

const codeOf = (fault: unknown): string => {
  const code = fault instanceof Error ? (fault as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : 'unknown fault';
};

/** One HTTP/2 connection with concurrent requests. */
export class Http2Session {
  readonly #http2: http2.ClientHttp2Session;
  readonly #waiters = new Set<() => void>();
  readonly #now: () => number;
  /** One stream until the server announces its limit. */
  #maxStreams = 1;
  #activeStreams = 0;
  #open = true;
  #lastHeardAt: number;
  /** Last processed stream of a GOAWAY frame; higher ones were not processed. */
  #lastStreamId = Number.POSITIVE_INFINITY;
  #fault = 'closed';
  #ping: Promise<boolean> | undefined;

  constructor(origin: string, ca: string | undefined, now: () => number) {
    this.#now = now;
    this.#lastHeardAt = now();
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED could disable verification otherwise.
    this.#http2 = http2.connect(origin, {
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      settings: { enablePush: false },
      ...(ca === undefined ? {} : { ca }),
    });
    this.#http2.on('remoteSettings', ({ maxConcurrentStreams }) => {
      this.#maxStreams = Math.min(MAX_STREAMS, maxConcurrentStreams ?? MAX_STREAMS);
      this.#resumeWaiting();
    });
    this.#http2.on('goaway', (_, lastStreamId) => {
      this.#lastStreamId = lastStreamId;
      this.#markClosed('GOAWAY');
    });
    this.#http2.on('error', (fault) => this.#markClosed(faultBeforeSending(fault) ?? codeOf(fault)));
    this.#http2.on('close', () => this.#markClosed('closed'));
    // An idle connection must not keep the process alive; the timer of a request does.
    this.#http2.unref();
  }

  /** Whether it accepts new requests. */
  get open(): boolean {
    return this.#open;
  }
  /** When the server last responded, in ms. */
  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }
  get busy(): boolean {
    return this.#activeStreams > 0 || this.#waiters.size > 0;
  }

  /** Sends one request and resolves with its result within `timeoutMs`. Never throws. */
  async send(request: Http2Request, timeoutMs: number): Promise<Http2Reply> {
    const deadline = performance.now() + timeoutMs;
    if (!(await this.#acquireStream(timeoutMs)))
      return { kind: 'not_sent', detail: this.#open ? 'no stream was free in time' : this.#fault };
    try {
      return await this.#exchange(request, Math.max(0, deadline - performance.now()));
    } finally {
      this.#activeStreams -= 1;
      this.#resumeWaiting();
    }
  }

  /** Pings the server (RFC 9113, 6.7); closes the connection if it does not answer. Concurrent callers share one ping. */
  isAlive(timeoutMs: number): Promise<boolean> {
    this.#ping ??= this.#sendPing(timeoutMs).finally(() => {
      this.#ping = undefined;
    });
    return this.#ping;
  }

  /** Closes the connection once its open requests are done. */
  close(): void {
    this.#markClosed('closed');
    this.#http2.close();
  }

  async #sendPing(timeoutMs: number): Promise<boolean> {
    const alive = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      const answered = (fault: Error | null) => {
        clearTimeout(timer);
        resolve(!fault);
      };
      // A connection that is still being established cannot be pinged, and counts as dead.
      if (!this.#open || this.#http2.destroyed || !this.#http2.ping(answered)) answered(new Error(this.#fault));
    });
    if (alive) this.#lastHeardAt = this.#now();
    else {
      this.#markClosed('no answer to a ping');
      this.#http2.destroy();
    }
    return alive;
  }

  #markClosed(fault: string): void {
    if (this.#open) this.#fault = fault;
    this.#open = false;
    this.#resumeWaiting();
  }

  /** Resumes waiting requests in order, as far as streams are free; all of them once the connection is closed. */
  #resumeWaiting(): void {
    for (const resume of this.#waiters) {
      if (this.#open && this.#activeStreams >= this.#maxStreams) return;
      this.#waiters.delete(resume);
      resume();
    }
  }

  /** Reserves a stream; false if the connection closed or the time ran out first. */
  async #acquireStream(timeoutMs: number): Promise<boolean> {
    if (this.#open && this.#activeStreams < this.#maxStreams) {
      this.#activeStreams += 1;
      return true;
    }
    if (!this.#open) return false;
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        if (this.#open) this.#activeStreams += 1;
        resolve(this.#open);
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(resume);
        resolve(false);
      }, timeoutMs);
      this.#waiters.add(resume);
    });
  }

  #exchange({ path, headers, body }: Http2Request, timeoutMs: number): Promise<Http2Reply> {
    let stream: http2.ClientHttp2Stream;
    try {
      stream = this.#http2.request({ ':method': 'POST', ':path': path, ...headers });
    } catch (fault) {
      // A closing connection refuses a stream before sending anything of it.
      return Promise.resolve({ kind: 'not_sent', detail: codeOf(fault) });
    }
    return new Promise((resolve) => {
      const settle = (reply: Http2Reply) => {
        clearTimeout(timer);
        resolve(reply);
      };
      const timer = setTimeout(() => {
        // Forces a ping before the next request.
        this.#lastHeardAt = Number.NEGATIVE_INFINITY;
        settle(this.#failureOf(stream, 'TimeoutError'));
        stream.close(NGHTTP2_CANCEL);
      }, timeoutMs);
      this.#readResponse(stream, settle);
      stream.on('error', (fault) => settle(this.#failureOf(stream, codeOf(fault))));
      stream.on('close', () => settle(this.#failureOf(stream, 'closed without an answer')));
      stream.end(body);
    });
  }

  #readResponse(stream: http2.ClientHttp2Stream, settle: (reply: Http2Reply) => void): void {
    let headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let body = '';
    stream.setEncoding('utf8');
    stream.on('response', (received) => {
      headers = received;
    });
    stream.on('data', (chunk: string) => {
      body += chunk;
      if (body.length > MAX_BYTES) stream.close(NGHTTP2_CANCEL);
    });
    stream.on('end', () => {
      const { ':status': status } = headers;
      if (status === undefined) return;
      this.#lastHeardAt = this.#now();
      settle({ kind: 'answered', status, headers, body });
    });
  }

  /** Result of a stream that ended without a response. */
  #failureOf(stream: http2.ClientHttp2Stream, detail: string): Http2Reply {
    const neverProcessed = stream.id === undefined || stream.id > this.#lastStreamId;
    const kind = neverProcessed || stream.rstCode === NGHTTP2_REFUSED_STREAM ? 'not_sent' : 'lost';
    return { kind, detail: stream.id === undefined && !this.#open ? this.#fault : detail };
  }
}
