import type { CarrierResult } from '../../../shared/domain/smpp/carrier.ts';

/** How long results of messages are kept (ms), and how many. */
const KEPT_MS = 600_000;
const MAX_KEPT = 50_000;

interface Known {
  readonly at: number;
  readonly result: Promise<CarrierResult>;
  settled?: CarrierResult;
}

/** The results of the messages that this process submitted: a repeat is not submitted again, and a late response is found. */
export class Outcomes {
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Submits a message, unless it was submitted within ten minutes: then returns that result. */
  once(messageId: string, submit: () => Promise<CarrierResult>): Promise<CarrierResult> {
    this.#forget();
    const known = this.#known.get(messageId);
    if (known) return known.result;
    const result = submit().catch((): CarrierResult => ({ kind: 'unknown', why: 'fault' }));
    const added: Known = { at: this.#now(), result };
    this.#known.set(messageId, added);
    void result.then((settled) => {
      added.settled = settled;
    });
    return result;
  }

  /** The result of a message; undefined while there is none, and if it is unknown. */
  find(messageId: string): CarrierResult | undefined {
    return this.#known.get(messageId)?.settled;
  }

  #forget(): void {
    for (const [messageId, { at }] of this.#known) {
      if (this.#now() - at < KEPT_MS && this.#known.size < MAX_KEPT) return;
      this.#known.delete(messageId);
    }
  }
}
