import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { type Clock, isoTime } from '../core/time.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import {
  HOLD_MS,
  isExpired,
  judgedAt,
  nextJudgement,
  type SlotCounts,
  slotAt,
  suspectWindow,
} from './destination-watch.ts';

/** A shard of the counts of an organization's prefix. */
export interface CountShard {
  readonly organizationId: Id<'organization'>;
  /** Calling code and four more digits. */
  readonly prefix: string;
  readonly shard: number;
}

/** A prefix that is held until a time (ms), and the event. */
export interface DestinationHold {
  readonly organizationId: Id<'organization'>;
  readonly prefix: string;
  readonly until: number;
  readonly event: DomainEvent;
}

/** The counts of a prefix when one of its shards is evaluated. */
interface JudgedCounts {
  /** Of the whole prefix. */
  readonly counts: SlotCounts;
  /** The slots of the shard. */
  readonly slots: readonly number[];
  /** When the shard is due, in ms; undefined when it is not. */
  readonly dueAt?: number | undefined;
  /** The number of sends that the shard ever counted. */
  readonly total?: number | undefined;
}

/** Storage of the counts. */
export interface DestinationCounts {
  /** The counts of the shard's prefix; undefined if the shard is gone. */
  read(counted: CountShard): Promise<JudgedCounts | undefined>;
  /** Drops expired slots of a shard and makes it due at a time (ms). */
  reschedule(counted: CountShard, expired: readonly number[], at: number): Promise<void>;
  /**
   * Drops expired slots of a shard and removes it from the due index; false if it counted a send since `total` was
   * read.
   */
  retire(counted: CountShard, expired: readonly number[], total: number): Promise<boolean>;
}

export interface JudgePorts {
  readonly clock: Clock;
  readonly counts: DestinationCounts;
  /** Holds a prefix and raises its event; false if it is already held. */
  readonly hold: (hold: DestinationHold) => Promise<boolean>;
  /** Enqueues the next evaluation of a shard for a time (ms). Best effort. */
  readonly enqueue: (counted: CountShard, at: number) => void;
  /** Counts a new hold, for the alarm. */
  readonly onHeld: (hold: DestinationHold) => void;
}

const holdSuspect = async (ports: JudgePorts, tenant: Tenant, prefix: string, counts: SlotCounts, now: number) => {
  const suspect = suspectWindow(counts, now);
  if (!suspect) return;
  const until = now + HOLD_MS;
  const data = { channel: 'sms', prefix: `+${prefix}`, ...suspect, heldUntil: isoTime(until) };
  const { organizationId, env } = tenant;
  const event = newEvent({ organizationId, env, type: 'sms.destination_held', createdAt: now, data });
  const hold = { organizationId, prefix, until, event };
  if (await ports.hold(hold)) ports.onHeld(hold);
};

/**
 * Evaluates the prefix of a shard that is due: holds it for an hour if too few of its messages were delivered
 * (docs/spec/sms.md#destinations-that-are-held). A repeated or early call changes nothing.
 */
export const judgeDestination = async (ports: JudgePorts, env: Tenant['env'], counted: CountShard): Promise<void> => {
  const now = ports.clock();
  const read = await ports.counts.read(counted);
  if (read?.dueAt === undefined || read.dueAt > now) return;
  const { counts, slots, total = 0 } = read;
  await holdSuspect(ports, { organizationId: counted.organizationId, env }, counted.prefix, counts, now);
  const expired = slots.filter((slot) => isExpired(slot, now));
  const next = nextJudgement(counts, slots, now);
  if (next === undefined && (await ports.counts.retire(counted, expired, total))) return;
  // A send that was counted meanwhile is in this slot or a later one.
  const at = next ?? judgedAt(slotAt(now));
  await ports.counts.reschedule(counted, expired, at);
  ports.enqueue(counted, at);
};
