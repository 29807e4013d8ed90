import * as http2 from 'node:http2';
import { faultBeforeSending } from '../http.ts';

/** What became of a request. `not_sent` is certain: the server did not process it (RFC 9113, 6.8 and 8.7). After that, all is `lost`. */
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

/** Streams of a connection at once: the server's bound where it is lower. */
const MOST_STREAMS = 500;
/** Answers are a status and a short reason. */
const MOST_BYTES = 16 * 1024;
const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM } = http2.constants;

const codeOf = (fault: unknown): string => {
  const code = fault instanceof Error ? (fault as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : 'unknown fault';
};

/** One HTTP/2 connection, which carries requests side by side until it ends. */
export class Http2Session {
  readonly #http2: http2.ClientHttp2Session;
  readonly #waiting = new Set<() => void>();
  readonly #now: () => number;
  /** One stream until the server says how many it takes. */
  #limit = 1;
  #active = 0;
  #open = true;
  #heardAt: number;
  /** Streams above it were not processed, once the server has said that it goes away. */
  #lastStreamId = Number.POSITIVE_INFINITY;
  #fault = 'closed';
  #ping: Promise<boolean> | undefined;

  constructor(origin: string, ca: string | undefined, now: () => number) {
    this.#now = now;
    this.#heardAt = now();
    // Explicit, because an environment variable (NODE_TLS_REJECT_UNAUTHORIZED) turns verification off where nothing is said.
    this.#http2 = http2.connect(origin, {
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      settings: { enablePush: false },
      ...(ca === undefined ? {} : { ca }),
    });
    this.#http2.on('remoteSettings', ({ maxConcurrentStreams }) => {
      this.#limit = Math.min(MOST_STREAMS, maxConcurrentStreams ?? MOST_STREAMS);
      this.#admit();
    });
    this.#http2.on('goaway', (_, lastStreamId) => {
      this.#lastStreamId = lastStreamId;
      this.#end('GOAWAY');
    });
    this.#http2.on('error', (fault) => this.#end(faultBeforeSending(fault) ?? codeOf(fault)));
    this.#http2.on('close', () => this.#end('closed'));
    // A kept connection is no reason for a process to stay; each request's own clock is.
    this.#http2.unref();
  }

  /** Whether new requests may go here. */
  get open(): boolean {
    return this.#open;
  }
  /** When the server was last heard of, in ms. */
  get heardAt(): number {
    return this.#heardAt;
  }
  get busy(): boolean {
    return this.#active > 0 || this.#waiting.size > 0;
  }

  /** Sends one request and gives what became of it within `timeoutMs`. Never throws. */
  async send(request: Http2Request, timeoutMs: number): Promise<Http2Reply> {
    const deadline = performance.now() + timeoutMs;
    if (!(await this.#turn(timeoutMs)))
      return { kind: 'not_sent', detail: this.#open ? 'no stream was free in time' : this.#fault };
    try {
      return await this.#exchange(request, Math.max(0, deadline - performance.now()));
    } finally {
      this.#active -= 1;
      this.#admit();
    }
  }

  /** Whether the server still answers (RFC 9113, 6.7); a connection that does not is ended. */
  answers(timeoutMs: number): Promise<boolean> {
    this.#ping ??= this.#askPing(timeoutMs).finally(() => {
      this.#ping = undefined;
    });
    return this.#ping;
  }

  /** Ends the connection when what is under way on it is done. */
  close(): void {
    this.#end('closed');
    this.#http2.close();
  }

  async #askPing(timeoutMs: number): Promise<boolean> {
    const alive = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      const answered = (fault: Error | null) => {
        clearTimeout(timer);
        resolve(!fault);
      };
      // A connection that is still being made cannot be asked, and counts as silent.
      if (!this.#open || this.#http2.destroyed || !this.#http2.ping(answered)) answered(new Error(this.#fault));
    });
    if (alive) this.#heardAt = this.#now();
    else {
      this.#end('no answer to a ping');
      this.#http2.destroy();
    }
    return alive;
  }

  #end(fault: string): void {
    if (this.#open) this.#fault = fault;
    this.#open = false;
    this.#admit();
  }

  /** Lets those in that waited longest, as many as there are streams; all of them once there will be none. */
  #admit(): void {
    for (const enter of this.#waiting) {
      if (this.#open && this.#active >= this.#limit) return;
      this.#waiting.delete(enter);
      enter();
    }
  }

  /** Takes a stream's place; false when the connection ended or the time did. */
  async #turn(timeoutMs: number): Promise<boolean> {
    if (this.#open && this.#active < this.#limit) {
      this.#active += 1;
      return true;
    }
    if (!this.#open) return false;
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        if (this.#open) this.#active += 1;
        resolve(this.#open);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        resolve(false);
      }, timeoutMs);
      this.#waiting.add(enter);
    });
  }

  #exchange({ path, headers, body }: Http2Request, timeoutMs: number): Promise<Http2Reply> {
    let stream: http2.ClientHttp2Stream;
    try {
      stream = this.#http2.request({ ':method': 'POST', ':path': path, ...headers });
    } catch (fault) {
      // A connection that ends refuses new streams before anything of them leaves.
      return Promise.resolve({ kind: 'not_sent', detail: codeOf(fault) });
    }
    return new Promise((resolve) => {
      const settle = (reply: Http2Reply) => {
        clearTimeout(timer);
        resolve(reply);
      };
      const timer = setTimeout(() => {
        // Whoever is silent for that long is asked for a sign of life before the next request.
        this.#heardAt = Number.NEGATIVE_INFINITY;
        settle(this.#broken(stream, 'TimeoutError'));
        stream.close(NGHTTP2_CANCEL);
      }, timeoutMs);
      this.#readAnswer(stream, settle);
      stream.on('error', (fault) => settle(this.#broken(stream, codeOf(fault))));
      stream.on('close', () => settle(this.#broken(stream, 'closed without an answer')));
      stream.end(body);
    });
  }

  #readAnswer(stream: http2.ClientHttp2Stream, settle: (reply: Http2Reply) => void): void {
    let headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let body = '';
    stream.setEncoding('utf8');
    stream.on('response', (received) => {
      headers = received;
    });
    stream.on('data', (chunk: string) => {
      body += chunk;
      if (body.length > MOST_BYTES) stream.close(NGHTTP2_CANCEL);
    });
    stream.on('end', () => {
      const { ':status': status } = headers;
      if (status === undefined) return;
      this.#heardAt = this.#now();
      settle({ kind: 'answered', status, headers, body });
    });
  }

  /** A stream that ended without an answer: unprocessed for certain, or not. */
  #broken(stream: http2.ClientHttp2Stream, detail: string): Http2Reply {
    const never = stream.id === undefined || stream.id > this.#lastStreamId;
    const kind = never || stream.rstCode === NGHTTP2_REFUSED_STREAM ? 'not_sent' : 'lost';
    return { kind, detail: stream.id === undefined && !this.#open ? this.#fault : detail };
  }
}
