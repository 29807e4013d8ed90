import type { Pdu } from './pdus.ts';
import type { Timers } from './timers.ts';

/**
 * The result of a request: the peer's response, which may be a refusal or a generic_nack; `busy` if the queue is full, so that it was never
 * sent; `timeout`, `closed` and `unreadable` if the peer's result is unknown.
 */
export type Reply =
  | { readonly kind: 'response'; readonly pdu: Pdu }
  | { readonly kind: 'busy' | 'timeout' | 'closed' | 'unreadable' };

interface Waiting {
  readonly bytes: Buffer;
  readonly answer: (reply: Reply) => void;
}
interface Sent {
  readonly answer: (reply: Reply) => void;
  readonly cancel: () => void;
}

export interface OutgoingOptions {
  /** The maximum of requests without a response. */
  readonly window: number;
  /** The maximum of requests that wait for room in the window. */
  readonly queue: number;
  /** The response timeout, in ms. */
  readonly responseMs: number;
  readonly timers: Timers;
  readonly write: (bytes: Buffer) => void;
  /** Whether the peer reads what is written: while false, requests are held back. */
  readonly isWritable: () => boolean;
  /** The sequence number before the first. */
  readonly lastSequence?: number;
}

/** The offset of sequence_number in a PDU. */
const SEQUENCE_AT = 12;
const MAX_SEQUENCE = 0x7fffffff;

/** The requests that one side sends: their sequence numbers, window and responses. */
export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly #sent = new Map<number, Sent>();
  readonly #waiting: Waiting[] = [];
  #sequence: number;
  #closed = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#sequence = options.lastSequence ?? 0;
  }

  /** Whether no request is outstanding or waiting. */
  get isIdle(): boolean {
    return this.#sent.size === 0 && this.#waiting.length === 0;
  }

  /** Whether a request would be written immediately. */
  get hasRoom(): boolean {
    return !this.#closed && this.#waiting.length === 0 && this.#isOpen();
  }

  /** The next sequence number, from 1 to 0x7FFFFFFF, then from 1 again: no request is outstanding that long. */
  nextSequence(): number {
    this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1;
    return this.#sequence;
  }

  /** Sends a request, and writes its sequence number into its bytes. `heard` gets the result before the next PDU is processed. */
  send(bytes: Buffer, heard: (reply: Reply) => void = () => {}): Promise<Reply> {
    if (this.#closed) return Promise.resolve({ kind: 'closed' });
    if (!this.#isOpen() && this.#waiting.length >= this.#options.queue) return Promise.resolve({ kind: 'busy' });
    return new Promise((resolve) => {
      const answer = (reply: Reply) => {
        heard(reply);
        resolve(reply);
      };
      this.#waiting.push({ bytes, answer });
      this.flush();
    });
  }

  /** Passes a response to its request; unexpected ones are dropped. */
  settle(sequence: number, reply: Reply): void {
    const sent = this.#sent.get(sequence);
    if (!sent) return;
    this.#sent.delete(sequence);
    sent.cancel();
    sent.answer(reply);
    this.flush();
  }

  /** Sends waiting requests, as far as the window allows. */
  flush(): void {
    while (!this.#closed && this.#isOpen()) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#begin(next);
    }
  }

  close(): void {
    this.#closed = true;
    for (const sequence of this.#sent.keys()) this.settle(sequence, { kind: 'closed' });
    for (const { answer } of this.#waiting.splice(0)) answer({ kind: 'closed' });
  }

  #isOpen(): boolean {
    return this.#sent.size < this.#options.window && this.#options.isWritable();
  }

  #begin({ bytes, answer }: Waiting): void {
    const { timers, responseMs, write } = this.#options;
    const sequence = this.nextSequence();
    const cancel = timers.after(responseMs, () => this.settle(sequence, { kind: 'timeout' }));
    this.#sent.set(sequence, { answer, cancel });
    bytes.writeUInt32BE(sequence, SEQUENCE_AT);
    write(bytes);
  }
}
