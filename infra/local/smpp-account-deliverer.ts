import { randomBase62 } from '../../shared/domain/core/ids.ts';
import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { pause } from '../../shared/domain/core/pause.ts';
import type { BoundAccount } from '../../shared/domain/smpp/account.ts';
import type { Delivery, LeasedWork } from '../../shared/domain/smpp/deliver.ts';
import { writeDeliverSm } from '../../shared/smpp/deliver.ts';
import type { Reply } from '../../shared/smpp/outgoing.ts';
import type { Session } from '../../shared/smpp/session.ts';
import { STATUSES } from '../../shared/smpp/statuses.ts';

/** A bind that receives an account's deliveries. */
export interface Receiver {
  readonly session: Session;
  /** interface_version. */
  readonly version: number;
  /** The current settings of the account. */
  readonly account: () => BoundAccount;
}

/** The calls to the stage, by the names of `functions/smpp-service`. */
export interface DelivererCalls {
  readonly invoke: (name: 'end' | 'record-answer' | 'take' | 'waiting', event: unknown) => Promise<unknown>;
  readonly onFault: (where: string, error: unknown) => void;
  /** A deliver_sm was temporarily refused, or not answered in time. */
  readonly onNotTaken?: () => void;
}

/**
 * The polling interval of an account's notices (ms): while it is active, and otherwise. It is active for a while after it sends or receives
 * something.
 */
const POLL_MS = { active: 1_000, quiet: 5_000 } as const;
const ACTIVE_MS = 60_000;
/** The longest that a shard is skipped while all of its notices are deferred (ms): a new notice in it waits that long. */
const MAX_REST_MS = POLL_MS.quiet;
/** The delay before the next check for room in a window, and after the peer answered ESME_RTHROTTLED (ms). */
const ROOM_MS = 50;
const THROTTLED_MS = 1_000;
/** Messages whose reports are sent concurrently on each bind: its window. */
const CONCURRENCY = 32;
const VERSION_34 = 0x34;

/** The peer will never accept it: a retry is useless. */
const PERMANENT_REFUSALS: readonly number[] = [STATUSES.ESME_RX_P_APPN, STATUSES.ESME_RX_R_APPN];
/** The result of a deliver_sm; `lost`: its connection ended, so that another bind sends it immediately. */
type Outcome = 'lost' | 'not_taken' | 'taken';
const outcomeOf = (reply: Reply): Outcome => {
  if (reply.kind === 'closed' || reply.kind === 'busy') return 'lost';
  if (reply.kind !== 'response') return 'not_taken';
  const { status } = reply.pdu;
  return status === STATUSES.ESME_ROK || PERMANENT_REFUSALS.includes(status) ? 'taken' : 'not_taken';
};

/** Where the next lease of the shard continues, and until when the shard is skipped. */
interface ShardState {
  readonly after?: string | undefined;
  readonly restUntil?: number | undefined;
}

/** Delivers one account's waiting notices over this process's binds of it, while there is any. */
export class AccountDeliverer {
  readonly #accountId: BoundAccount['id'];
  readonly #calls: DelivererCalls;
  readonly #receivers = new Set<Receiver>();
  readonly #shards = new Map<number, ShardState>();
  #picked = 0;
  #activeUntil = 0;
  #pausedUntil = 0;
  #stopped = false;
  #running: Promise<void> | undefined;
  #wake = (): void => {};

  constructor(accountId: BoundAccount['id'], calls: DelivererCalls) {
    this.#accountId = accountId;
    this.#calls = calls;
  }

  /** Settled once all deliveries have ended. */
  get ended(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  get isIdle(): boolean {
    return this.#receivers.size === 0;
  }

  /** Delivers over this bind as well, until the returned function is called. Checks for waiting notices immediately. */
  add(receiver: Receiver): () => void {
    this.#receivers.add(receiver);
    this.touch();
    this.#wake();
    this.#running ??= this.#run();
    return () => {
      this.#receivers.delete(receiver);
      this.#wake();
    };
  }

  /** The account is sending: reports will follow soon. */
  touch(): void {
    const wasQuiet = this.#activeUntil <= Date.now();
    this.#activeUntil = Date.now() + ACTIVE_MS;
    if (wasQuiet) this.#wake();
  }

  /** Starts no further deliveries. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (this.#isRunning()) {
      const hasMore = await this.#caught('round', () => this.#round());
      if (!hasMore && this.#isRunning()) await this.#sleep();
    }
    this.#running = undefined;
  }

  #isRunning(): boolean {
    return !this.#stopped && this.#receivers.size > 0;
  }

  #sleep(): Promise<void> {
    const ms = this.#activeUntil > Date.now() ? POLL_MS.active : POLL_MS.quiet;
    return Promise.race([pause(ms), new Promise<void>((resolve) => (this.#wake = resolve))]);
  }

  async #caught(where: string, work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      this.#calls.onFault(`smpp/${where}`, error);
      return false;
    }
  }

  /**
   * Leases each shard with waiting notices, in random order, as many concurrently as there are binds. Returns whether there may be more to
   * send.
   */
  async #round(): Promise<boolean> {
    const waiting = (await this.#calls.invoke('waiting', { accountId: this.#accountId })) as readonly number[];
    const now = Date.now();
    const open = waiting.filter((shard) => (this.#shards.get(shard)?.restUntil ?? 0) <= now);
    const order = open.map((shard) => ({ shard, at: Math.random() })).sort((one, other) => one.at - other.at);
    const results = await mapConcurrently(order, Math.max(1, this.#receivers.size), ({ shard }) =>
      this.#caught('lease', () => this.#serve(shard)),
    );
    return results.includes(true);
  }

  async #serve(shard: number): Promise<boolean> {
    if (!this.#isRunning()) return false;
    const lease = { accountId: this.#accountId, shard, owner: randomBase62(16) };
    let isTaken = false;
    try {
      const after = this.#shards.get(shard)?.after;
      const work = (await this.#calls.invoke('take', { turn: lease, after })) as LeasedWork | undefined;
      isTaken = work === undefined;
      if (!work) return false;
      this.#remember(shard, work);
      const anyAccepted = await this.#deliverAll(work);
      return anyAccepted || work.next !== undefined;
    } finally {
      // Also after an error: the lease may have been taken.
      if (!isTaken) await this.#calls.invoke('end', lease);
    }
  }

  #remember(shard: number, { next, deliveries, waitsUntil }: LeasedWork): void {
    const rests = next === undefined && deliveries.length === 0 && waitsUntil !== undefined;
    const restUntil = rests ? Math.min(waitsUntil, Date.now() + MAX_REST_MS) : undefined;
    this.#shards.set(shard, { after: next, restUntil });
    if (deliveries.length > 0) this.touch();
  }

  /** Delivers in order within a message, and concurrently across messages; returns whether any was accepted. */
  async #deliverAll({ deliveries, sendUntil }: LeasedWork): Promise<boolean> {
    const messages = [...Map.groupBy(deliveries, ({ notice }) => notice.about).values()];
    const accepted = await mapConcurrently(messages, CONCURRENCY * Math.max(1, this.#receivers.size), (all) =>
      this.#caught('deliver', async () => {
        for (const [at, delivery] of all.entries()) if (!(await this.#deliver(delivery, sendUntil))) return at > 0;
        return true;
      }),
    );
    return accepted.includes(true);
  }

  /** Whether the account has accepted it, or refused it permanently. */
  async #deliver(delivery: Delivery, sendUntil: number): Promise<boolean> {
    const outcome = await this.#send(delivery, sendUntil);
    if (outcome === 'lost') return false;
    const { notice, tries, told } = delivery;
    const taken = outcome === 'taken';
    if (!taken) this.#calls.onNotTaken?.();
    await this.#calls.invoke('record-answer', { notice, tries, taken, ...(told === undefined ? {} : { told }) });
    return taken;
  }

  /** Sends it over the next bind with room, and waits for one until the lease's time for sending is over. */
  async #send(delivery: Delivery, sendUntil: number): Promise<Outcome> {
    for (;;) {
      if (!this.#isRunning() || Date.now() >= sendUntil) return 'lost';
      const receiver = this.#pick();
      if (receiver) return this.#sendOver(receiver, delivery);
      await pause(ROOM_MS);
    }
  }

  #pick(): Receiver | undefined {
    if (this.#pausedUntil > Date.now()) return undefined;
    const open = [...this.#receivers].filter(({ session }) => session.isReceiver && session.hasRoom);
    return open[this.#picked++ % Math.max(1, open.length)];
  }

  async #sendOver({ session, version, account }: Receiver, delivery: Delivery): Promise<Outcome> {
    const settings = { seconds: account().dlrFormat === 'seconds', knowsTlvs: version >= VERSION_34 };
    try {
      const { body, tlvs } = writeDeliverSm(delivery, settings);
      const reply = await session.request('deliver_sm', body, tlvs);
      if (reply.kind === 'response' && reply.pdu.status === STATUSES.ESME_RTHROTTLED)
        this.#pausedUntil = Date.now() + THROTTLED_MS;
      return outcomeOf(reply);
    } catch (error) {
      // It does not fit into a deliver_sm: the others continue.
      this.#calls.onFault('smpp/deliver', error);
      return 'not_taken';
    }
  }
}
