import type { Id } from '../core/ids.ts';
import type { MessageStatus } from '../message/message.ts';

/** How long a notice waits for a bind that takes it (ms). */
export const KEEP_NOTICE_MS = 72 * 3600_000;
/** How long an account's shard is one process's (ms): a process that died is waited for so long. */
export const TURN_LEASE_MS = 60_000;

/** The response of a submit_sm that is on its way goes before what becomes of its message (ms). */
const RESPONSE_MS = 1_000;

/** Which notice it is: those about one message are in one shard, in the order in which they are to be told. */
export interface NoticeKey {
  readonly accountId: Id<'smppAccount'>;
  /** The message that it is about, or that it answers, or the parts that became none. */
  readonly about: Id<'message'> | Id<'smppParts'>;
  /** Its place in the shard: by the age of the message, then by the message, then by the order of its notices. */
  readonly position: string;
}

/**
 * What an account is to be told: a status of a message that it sent, by the receipts that were asked for, or a reply to one. It holds neither
 * texts nor addresses, which are read once it is told. Times in ms.
 */
export interface Notice extends NoticeKey {
  readonly organizationId: Id<'organization'>;
  /** Of a report. */
  readonly status?: MessageStatus | undefined;
  readonly reason?: string | undefined;
  /** When the message came to that status. */
  readonly at?: number | undefined;
  /** Of a reply. */
  readonly replyId?: Id<'reply'> | undefined;
  readonly createdAt: number;
  /** How many of its receipts the account has answered, and how often it was tried since the last of them. */
  readonly told: number;
  readonly tries: number;
  /** It is not tried again before. */
  readonly notBefore?: number | undefined;
}

/** When a notice may be told (ms). */
export const dueAt = ({ notBefore = 0, createdAt }: Pick<Notice, 'createdAt' | 'notBefore'>): number =>
  Math.max(notBefore, createdAt + RESPONSE_MS);

/** Whose turn it is at a shard of an account's notices. */
export interface Turn {
  readonly accountId: Id<'smppAccount'>;
  readonly shard: number;
  /** Unique among all turns of all processes. */
  readonly owner: string;
}

/** The notices that wait, in the table. */
export interface NoticeQueue {
  /** The shards in which something waits that no turn is at. A short query a shard, which may be late by some seconds. */
  waiting(accountId: Id<'smppAccount'>, now: number): Promise<readonly number[]>;
  /** Since when something waits that could be told (ms); undefined where nothing does. Reads the first notice of each shard. */
  waitsSince(accountId: Id<'smppAccount'>): Promise<number | undefined>;
  /** Begins a turn until a moment (ms); false while another one lasts. */
  begin(turn: Turn, now: number, until: number): Promise<boolean>;
  /** Ends a turn, unless it is another's by now. */
  end(turn: Turn): Promise<void>;
  /** The notices of a shard behind a position, as they are now; `more`: there may be others behind them. */
  page(turn: Turn, after: string | undefined): Promise<{ readonly notices: readonly Notice[]; readonly more: boolean }>;
  /** So many of its receipts were answered. */
  advance(notice: NoticeKey, told: number): Promise<void>;
  /** Nothing of it is to be told any more. */
  remove(notice: NoticeKey): Promise<void>;
  /** It was not taken, for the nth time since it last was: it is tried again at a moment (ms). */
  postpone(notice: NoticeKey, tries: number, notBefore: number): Promise<void>;
}
