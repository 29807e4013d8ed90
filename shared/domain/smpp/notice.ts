import type { Id } from '../core/ids.ts';
import type { MessageStatus } from '../message/message.ts';

/** How long a notice waits for a receiver (ms). */
export const KEEP_NOTICE_MS = 72 * 3600_000;
/** The lease of an account's shard (ms): after a crash, another process delivers when it ends. */
export const SHARD_LEASE_MS = 60_000;

/** The response to a submit_sm is sent before the first report of its message (ms). */
const RESPONSE_MS = 1_000;

/** The key of a notice: those about one message are in one shard, in the order of their delivery. */
export interface NoticeKey {
  readonly accountId: Id<'smppAccount'>;
  /** The message that it reports or answers, or the parts without a message. */
  readonly about: Id<'message'> | Id<'smppParts'>;
  /** Its place in the shard: by the age of the message, then by the message, then by the order of its notices. */
  readonly position: string;
}

/**
 * A notice for an account: a status of one of its messages, with the requested receipts, or a reply to one. It contains neither texts nor
 * addresses, which are read on delivery. Times in ms.
 */
export interface Notice extends NoticeKey {
  readonly organizationId: Id<'organization'>;
  /** In a report. */
  readonly status?: MessageStatus | undefined;
  readonly reason?: string | undefined;
  /** When the message reached that status. */
  readonly at?: number | undefined;
  /** In a reply. */
  readonly replyId?: Id<'reply'> | undefined;
  readonly createdAt: number;
  /** How many of its receipts the account has answered, and the number of attempts since the last of them. */
  readonly reportedCount: number;
  readonly attempts: number;
  /** No attempt before this time. */
  readonly notBefore?: number | undefined;
}

/** When a notice may be delivered (ms). */
export const dueAt = ({ notBefore = 0, createdAt }: Pick<Notice, 'createdAt' | 'notBefore'>): number =>
  Math.max(notBefore, createdAt + RESPONSE_MS);

/** A lease of a shard of an account's notices. */
export interface ShardLease {
  readonly accountId: Id<'smppAccount'>;
  readonly shard: number;
  /** Unique among all leases of all processes. */
  readonly owner: string;
}

/** The waiting notices, in the table. */
export interface NoticeQueue {
  /** The shards with waiting notices and no lease. A short query per shard, which may lag by some seconds. */
  waiting(accountId: Id<'smppAccount'>, now: number): Promise<readonly number[]>;
  /** Since when a deliverable notice has been waiting (ms); undefined if there is none. Reads the first notice of each shard. */
  waitsSince(accountId: Id<'smppAccount'>): Promise<number | undefined>;
  /** Takes a lease until a moment (ms); false while another one is valid. */
  begin(lease: ShardLease, now: number, until: number): Promise<boolean>;
  /** Releases a lease, unless another process has it. */
  end(lease: ShardLease): Promise<void>;
  /** The current notices of a shard after a position; `more`: further ones may follow. */
  page(
    lease: ShardLease,
    after: string | undefined,
  ): Promise<{ readonly notices: readonly Notice[]; readonly more: boolean }>;
  /** Records how many of its receipts were answered. */
  advance(notice: NoticeKey, reportedCount: number): Promise<void>;
  /** Removes a notice. */
  remove(notice: NoticeKey): Promise<void>;
  /** The notice was not accepted at this attempt: the next one is at a moment (ms). */
  postpone(notice: NoticeKey, attempts: number, notBefore: number): Promise<void>;
}
