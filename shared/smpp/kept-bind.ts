import type { Reply } from './outgoing.ts';
import type { BindCommand, Body } from './pdus.ts';
import { Session } from './session.ts';
import type { Answer, CloseReason, MessagePdu, SessionLimits, Stream } from './session-types.ts';
import { STATUSES } from './statuses.ts';
import type { Timers } from './timers.ts';
import type { Tlv } from './tlvs.ts';

/** The events of a kept bind. */
export type BindNews =
  | { readonly kind: 'bound' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly error: unknown }
  /** The connection ended before a response to the bind, or no readable one arrived in time. */
  | { readonly kind: 'unanswered'; readonly reason: Exclude<Reply['kind'], 'response'> }
  | { readonly kind: 'ended'; readonly reason: CloseReason };

export interface KeptBindOptions {
  /** Connects, including TLS; rejects on failure. */
  readonly connect: () => Promise<Stream>;
  readonly command: BindCommand;
  readonly body: Partial<Body<BindCommand>>;
  readonly timers: Timers;
  readonly limits: Partial<SessionLimits>;
  /** The delay between attempts, in ms: doubled each time, with jitter. */
  readonly retry: { readonly firstMs: number; readonly maxMs: number };
  /** 0 to below 1. */
  readonly random: () => number;
  /** Answers the SMSC's deliveries. */
  readonly deliver: (pdu: MessagePdu) => Promise<Answer>;
  readonly news: (news: BindNews) => void;
}

/** A bind that lasted less counts as a failed attempt: some SMSCs accept one and close it immediately. */
const LASTING_MS = 10_000;
/** Many SMSCs lock an account that repeats these: the next attempt is delayed. */
const CREDENTIALS: readonly number[] = [STATUSES.ESME_RINVPASWD, STATUSES.ESME_RINVSYSID];

/** A bind to an SMSC that is reopened whenever it ends, with exponential backoff. */
export class KeptBind {
  readonly #options: KeptBindOptions;
  readonly #waiting = new Set<() => void>();
  #session: Session | undefined;
  #failures = 0;
  #boundAt: number | undefined;
  #refusal: number | undefined;
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(options: KeptBindOptions) {
    this.#options = options;
    void this.#open();
  }

  get isBound(): boolean {
    return this.#boundAt !== undefined;
  }

  /** The command status of the last bind, if it was refused. */
  get refusal(): number | undefined {
    return this.#refusal;
  }

  /** True once it is bound; false if it was not bound in time. */
  async whenBound(maxMs: number): Promise<boolean> {
    if (this.isBound || maxMs <= 0) return this.isBound;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.timers.after(maxMs, () => settle());
      const settle = () => {
        cancel();
        this.#waiting.delete(settle);
        resolve();
      };
      this.#waiting.add(settle);
    });
    return this.isBound;
  }

  /** Submits a message; undefined without a bind, so that nothing was written. */
  submit(body: Partial<Body<'submit_sm'>>, tlvs: readonly Tlv[]): Promise<Reply> | undefined {
    return this.isBound ? this.#session?.request('submit_sm', body, tlvs) : undefined;
  }

  /** Unbinds, and does not reconnect. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#session?.unbind();
  }

  async #open(): Promise<void> {
    const { connect, command, body, timers, limits, deliver, news } = this.#options;
    const stream = await connect().catch((error: unknown) => {
      news({ kind: 'unreachable', error });
      this.#retry();
    });
    if (!stream) return;
    if (this.#stopped) {
      stream.destroy();
      return;
    }
    const session = new Session({
      side: 'client',
      stream,
      timers,
      limits,
      handlers: { request: deliver, closed: (reason) => this.#ended(reason) },
    });
    this.#session = session;
    const reply = await session.bind(command, body);
    if (reply.kind === 'response' && reply.pdu.status !== 0) this.#refused(reply.pdu.status);
    if (reply.kind !== 'response' && !this.#stopped) news({ kind: 'unanswered', reason: reply.kind });
    if (session.state === 'closed') return;
    if (reply.kind === 'response' && reply.pdu.status === 0) this.#bound();
    else await session.unbind();
  }

  #bound(): void {
    this.#boundAt = this.#options.timers.now();
    this.#refusal = undefined;
    this.#options.news({ kind: 'bound' });
    for (const settle of this.#waiting) settle();
  }

  #refused(status: number): void {
    this.#refusal = status;
    this.#options.news({ kind: 'refused', status });
  }

  #ended(reason: CloseReason): void {
    const { timers, news } = this.#options;
    const lasted = this.#boundAt !== undefined && timers.now() - this.#boundAt >= LASTING_MS;
    if (this.#boundAt !== undefined) news({ kind: 'ended', reason });
    this.#boundAt = undefined;
    this.#session = undefined;
    if (lasted) this.#failures = 0;
    this.#retry();
  }

  #retry(): void {
    if (this.#stopped) return;
    const { timers, retry, random } = this.#options;
    const isLocked = this.#refusal !== undefined && CREDENTIALS.includes(this.#refusal);
    const ms = isLocked ? retry.maxMs : Math.min(retry.maxMs, retry.firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 20);
    this.#cancel = timers.after(ms * (0.5 + random() / 2), () => void this.#open());
  }
}
