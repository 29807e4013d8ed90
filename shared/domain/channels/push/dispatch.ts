import { derivedId, type Id } from '../../core/ids.ts';
import { definedFields, definedTimes } from '../../core/patch.ts';
import type { Tally } from './message.ts';
import type { PushPlatform } from './transport.ts';

/** Status of one device of a push message; `delivered` means that the push service accepted it (docs/spec/push.md#dispatches). */
export const DISPATCH_STATUSES = ['queued', 'delivered', 'failed'] as const;
export type DispatchStatus = (typeof DISPATCH_STATUSES)[number];

/** Why a device was not sent to, or its push service refused. */
export const FAILURE_REASONS = [
  'unregistered',
  'opted_out',
  'app_deleted',
  'content_rejected',
  'blacklisted',
  'undeliverable',
  'credentials',
  'provider_credit',
  'throttled',
  'unavailable',
  'indeterminate',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** One device of a push message. */
export interface PushDispatchRecord {
  readonly id: Id<'pushDispatch'>;
  readonly organizationId: Id<'organization'>;
  readonly messageId: Id<'message'>;
  readonly tokenId: Id<'pushToken'>;
  readonly platform: PushPlatform;
  readonly status: DispatchStatus;
  /** Passes in which a push service was called for it. */
  readonly attempts: number;
  readonly reason?: FailureReason | undefined;
  readonly openedAt?: number | undefined;
  /** Sent by a journey or a campaign, which counts its first open. */
  readonly automated?: true | undefined;
}

/** Max. devices per chunk: with the chunk's own row, five transactions of 100 rows. */
export const CHUNK_DEVICES = 499;

/**
 * A chunk of a push message's devices: a range of ids within one shard. Updates are fenced: claiming the chunk increments the fence, and
 * writes of an earlier owner are rejected.
 */
export interface PushChunk {
  readonly messageId: Id<'message'>;
  readonly shard: number;
  readonly number: number;
  /** The attempt to create the message that wrote this chunk; dispatch ids differ between attempts. */
  readonly attempt: number;
  readonly devices: number;
  /** The last device of the range, by id. */
  readonly last: Id<'pushToken'>;
  readonly state: 'open' | 'done';
  readonly fence: number;
  /** When its owner's lease ends, in ms. */
  readonly leaseUntil: number;
  /** When it is due next, in ms. */
  readonly nextAt: number;
  /** The current pass, from 1; devices whose push service was busy are retried in the next. */
  readonly pass: number;
  /** Devices before this index have been sent in this pass, or are being sent. */
  readonly cursor: number;
  /** Incremented by every settlement, so that a worker that lost the response recognizes its own. */
  readonly step: number;
  readonly tally: Tally;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A base62 number of fixed length, which sorts numerically. */
const sortableBase62 = (number: number, length: number): string => {
  let [text, left] = ['', number];
  for (let place = 0; place < length; place++) {
    text = (DIGITS[left % DIGITS.length] ?? '') + text;
    left = Math.floor(left / DIGITS.length);
  }
  if (left > 0) throw new RangeError('the number is too large for its place');
  return text;
};
const parseBase62 = (text: string): number => [...text].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);

type ChunkPosition = Pick<PushChunk, 'messageId' | 'attempt' | 'shard' | 'number'>;

/**
 * Dispatch ids of a chunk by index: `dsp_` and 21 characters, from which a row's key is computed without an index. 15 characters depend on
 * message and attempt, followed by shard, chunk number and index. Attempts share no ids, so rows of an abandoned attempt are never read.
 */
export const dispatchIdsOf = ({
  messageId,
  attempt,
  shard,
  number,
}: ChunkPosition): ((place: number) => Id<'pushDispatch'>) => {
  const letters = derivedId('pushDispatch', [messageId, String(attempt)]).slice(0, 19);
  const prefix = letters + sortableBase62(shard, 1) + sortableBase62(number, 3);
  return (place) => (prefix + sortableBase62(place, 2)) as Id<'pushDispatch'>;
};

export const dispatchId = (chunk: ChunkPosition, place: number): Id<'pushDispatch'> => dispatchIdsOf(chunk)(place);

/** The shard and index encoded in a dispatch id. */
export const parseDispatchId = (id: Id<'pushDispatch'>): { readonly shard: number; readonly place: number } => ({
  shard: parseBase62(id.slice(19, 20)),
  place: parseBase62(id.slice(23)),
});

/** A dispatch as the API returns it (docs/spec/push.md#dispatches). */
export const dispatchView = ({ id, tokenId, platform, status, reason, openedAt }: PushDispatchRecord) => ({
  dispatchId: id,
  tokenId,
  platform,
  status,
  ...definedFields({ reason }),
  ...definedTimes({ openedAt }),
});
