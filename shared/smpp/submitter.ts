import { Gate } from './gate.ts';
import type { KeptBind } from './kept-bind.ts';
import type { Reply } from './outgoing.ts';
import { Pacer } from './pacer.ts';
import type { Body } from './pdus.ts';
import type { TextPdu } from './split.ts';
import { STATUSES } from './statuses.ts';
import type { Timers } from './timers.ts';

/**
 * The SMSC's result for a message. All but `accepted` and `unknown` are certain: nothing of it was sent. `unknown`: some of it may have
 * been.
 */
export type SubmitResult =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'refused'; readonly status: number }
  /** No bind in time; `status` if binds are refused. */
  | { readonly kind: 'unbound'; readonly status?: number }
  /** No capacity in time: the throughput or the window is used up. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'unknown'; readonly why: 'closed' | 'no_id' | 'partial' | 'timeout' | 'unreadable' };

export interface SubmitterOptions {
  readonly bind: KeptBind;
  readonly timers: Timers;
  /** Messages without a response, concurrently. */
  readonly window: number;
  readonly perSecond: number;
  /** How long submission pauses after the SMSC throttled, in ms. */
  readonly throttledMs: number;
}

/** The throttling statuses of an SMSC. */
const THROTTLING: readonly number[] = [STATUSES.ESME_RTHROTTLED, STATUSES.ESME_RMSGQFUL];
/** How long a message waits for a lost bind: an unreachable carrier must not delay messages that another provider can send. */
const BIND_WAIT_MS = 2_000;
/** Requests a receipt of every final state. */
const REGISTERED = 1;

const resultOf = (reply: Reply): SubmitResult => {
  if (reply.kind === 'busy') return { kind: 'busy' };
  if (reply.kind !== 'response') return { kind: 'unknown', why: reply.kind };
  const { pdu } = reply;
  if (pdu.status === STATUSES.ESME_RUNKNOWNERR) return { kind: 'unknown', why: 'unreadable' };
  if (pdu.status !== 0) return { kind: 'refused', status: pdu.status };
  if (pdu.command !== 'submit_sm_resp') return { kind: 'unknown', why: 'unreadable' };
  return pdu.body.messageId === '' ? { kind: 'unknown', why: 'no_id' } : { kind: 'accepted', id: pdu.body.messageId };
};

/** Submits messages over one kept bind, within its window and throughput. */
export class Submitter {
  readonly bind: KeptBind;
  readonly #timers: Timers;
  readonly #gate: Gate;
  readonly #pacer: Pacer;
  readonly #throttledMs: number;
  #pending = 0;

  constructor({ bind, timers, window, perSecond, throttledMs }: SubmitterOptions) {
    this.bind = bind;
    this.#timers = timers;
    this.#gate = new Gate(timers, window);
    this.#pacer = new Pacer(timers, perSecond);
    this.#throttledMs = throttledMs;
  }

  /** Messages that wait for capacity or for a response. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Submits the parts of one message; each waits for capacity up to `waitMs`. The first is sent alone, so that its refusal is a refusal of
   * the whole. Of the others, throttled ones are repeated. A receipt is requested for the last, whose id is the message's.
   */
  async submit(
    addresses: Partial<Body<'submit_sm'>>,
    parts: readonly TextPdu[],
    waitMs: number,
  ): Promise<SubmitResult> {
    const until = this.#timers.now() + waitMs;
    this.#pending++;
    try {
      const bodies = parts.map(({ body, tlvs }, at) => ({
        body: { ...addresses, ...body, registeredDelivery: at === parts.length - 1 ? REGISTERED : 0 },
        tlvs,
      }));
      const [first, ...rest] = bodies.map((one) => (within: number) => this.#submitPart(one, within));
      const result = first ? await first(until) : ({ kind: 'busy' } as const);
      if (result.kind !== 'accepted' || rest.length === 0) return result;
      const others = await Promise.all(rest.map((part) => this.#insist(part, until)));
      return others.every(({ kind }) => kind === 'accepted')
        ? (others.at(-1) as SubmitResult)
        : { kind: 'unknown', why: 'partial' };
    } finally {
      this.#pending--;
    }
  }

  /** Repeats a later part while it is certain that the SMSC does not have it, and time is left. */
  async #insist(part: (until: number) => Promise<SubmitResult>, until: number): Promise<SubmitResult> {
    for (;;) {
      const result = await part(until);
      const isThrottled = result.kind === 'refused' && THROTTLING.includes(result.status);
      if (!isThrottled || this.#timers.now() >= until) return result;
    }
  }

  async #submitPart(
    { body, tlvs }: TextPdu & { readonly body: Partial<Body<'submit_sm'>> },
    until: number,
  ): Promise<SubmitResult> {
    const left = () => until - this.#timers.now();
    if (!(await this.bind.whenBound(Math.min(BIND_WAIT_MS, left()))))
      return { kind: 'unbound', ...(this.bind.refusal === undefined ? {} : { status: this.bind.refusal }) };
    if (!(await this.#gate.enter(left()))) return { kind: 'busy' };
    try {
      const turnMs = this.#pacer.take(left());
      if (turnMs === undefined) return { kind: 'busy' };
      if (turnMs > 0) await new Promise<void>((resolve) => void this.#timers.after(turnMs, resolve));
      const sent = this.bind.submit(body, tlvs);
      if (!sent) return { kind: 'unbound' };
      const result = resultOf(await sent);
      if (result.kind === 'refused' && THROTTLING.includes(result.status)) this.#pacer.rest(this.#throttledMs);
      return result;
    } finally {
      this.#gate.leave();
    }
  }
}
