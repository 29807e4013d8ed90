import type { Clock } from './model.ts';

/** How long a token is valid for its transaction, from the first request's end (API_TransactWriteItems.html, ClientRequestToken). */
const VALID_MS = 10 * 60_000;

type Known = { readonly content: string; readonly until: number | undefined };

/**
 * The tokens of transactions: the same one with the same content has no second effect, with other content it is rejected. Guessed: a
 * cancelled transaction leaves no token, so that its repeat is executed.
 */
export class RequestTokens {
  readonly #clock: Clock;
  /** In the order in which their transactions ended. */
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(token: string, content: string): 'new' | 'done' | 'in_progress' | 'mismatch' {
    this.#expire();
    const known = this.#known.get(token);
    if (!known) {
      this.#known.set(token, { content, until: undefined });
      return 'new';
    }
    if (known.content !== content) return 'mismatch';
    return known.until === undefined ? 'in_progress' : 'done';
  }

  /** Ends the request that `begin` called new. */
  end(token: string, committed: boolean): void {
    const known = this.#known.get(token);
    this.#known.delete(token);
    if (known && committed) this.#known.set(token, { ...known, until: this.#clock.now() + VALID_MS });
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const [token, { until }] of this.#known) {
      if (until === undefined) continue;
      if (until > now) return;
      this.#known.delete(token);
    }
  }
}
