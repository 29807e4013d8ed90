import { derivedId, type Id } from '../ids.ts';
import { isoTime } from '../time.ts';
import type { Tally } from './message.ts';
import type { PushPlatform } from './transport.ts';

/** Where a device of a push message stands: `delivered` is the push service's acceptance (interface 4.9, metrics). */
export const DISPATCH_STATUSES = ['queued', 'delivered', 'failed'] as const;
export type DispatchStatus = (typeof DISPATCH_STATUSES)[number];

/** Why a device did not take a push message. */
export type FailureReason =
  | 'unregistered'
  | 'opted_out'
  | 'app_deleted'
  | 'content_rejected'
  | 'blacklisted'
  | 'undeliverable'
  | 'credentials'
  | 'provider_credit'
  | 'throttled'
  | 'unavailable'
  | 'indeterminate';

/** One device of a push message. */
export interface PushDispatchRecord {
  readonly id: Id<'pushDispatch'>;
  readonly organizationId: Id<'organization'>;
  readonly messageId: Id<'message'>;
  readonly tokenId: Id<'pushToken'>;
  readonly platform: PushPlatform;
  readonly status: DispatchStatus;
  /** Passes of its chunk in which a push service was asked. */
  readonly attempts: number;
  readonly reason?: FailureReason | undefined;
  readonly openedAt?: number | undefined;
}

/** Devices of a chunk at most: what one consumer sends in its turn, and with the chunk itself five transactions of 100 rows. */
export const CHUNK_DEVICES = 499;

/**
 * A chunk of a push message's devices: those of one shard between two of its ids. Its state moves under a fence: whoever takes the
 * chunk raises it, and what a slower one still writes is refused.
 */
export interface PushChunk {
  readonly messageId: Id<'message'>;
  readonly shard: number;
  readonly number: number;
  /** Which attempt to make the message made it; its devices' dispatch ids begin with the attempt's own letters. */
  readonly attempt: number;
  readonly devices: number;
  /** The last of its devices in the order of ids. */
  readonly last: string;
  readonly state: 'open' | 'done';
  readonly fence: number;
  /** Until when it is left to who took it, in ms. */
  readonly leaseUntil: number;
  /** When it is worked on next, in ms. */
  readonly nextAt: number;
  /** The pass over its devices, from 1; those whose push service was busy are asked again in the next one. */
  readonly pass: number;
  /** Devices before this place were handed to their push service in this pass, or are being. */
  readonly cursor: number;
  /** Raised by every settlement: whoever lost the answer to one recognises it. */
  readonly step: number;
  readonly tally: Tally;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A number in base 62 that sorts as numbers do. */
const base62 = (number: number, length: number): string => {
  let [text, left] = ['', number];
  for (let place = 0; place < length; place++) {
    text = (DIGITS[left % DIGITS.length] ?? '') + text;
    left = Math.floor(left / DIGITS.length);
  }
  if (left > 0) throw new RangeError('the number is too large for its place');
  return text;
};
const numberOf = (text: string): number => [...text].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);

type Place = Pick<PushChunk, 'messageId' | 'attempt' | 'shard' | 'number'>;

/**
 * The ids of the devices of a chunk, by their places: `dsp_` and 21 characters, from which a device's row is found without an index. 15
 * letters are of the message and the attempt, then come the shard, the chunk's number and the place. Attempts to make a message share
 * none: what an abandoned one wrote is never met again.
 */
export const dispatchIdsOf = ({
  messageId,
  attempt,
  shard,
  number,
}: Place): ((place: number) => Id<'pushDispatch'>) => {
  const letters = derivedId('pushDispatch', [messageId, String(attempt)]).slice(0, 19);
  const prefix = letters + base62(shard, 1) + base62(number, 3);
  return (place) => (prefix + base62(place, 2)) as Id<'pushDispatch'>;
};

/** The id of the device at one place of a chunk. */
export const dispatchId = (chunk: Place, place: number): Id<'pushDispatch'> => dispatchIdsOf(chunk)(place);

/** The shard and the place that a dispatch id names. */
export const placeOf = (id: string): { readonly shard: number; readonly place: number } => ({
  shard: numberOf(id.slice(19, 20)),
  place: numberOf(id.slice(23)),
});

/** A device of a push message as the interface shows it (decisions, part 6). */
export const dispatchView = ({ id, tokenId, platform, status, reason, openedAt }: PushDispatchRecord) => ({
  dispatchId: id,
  tokenId,
  platform,
  status,
  ...(reason === undefined ? {} : { reason }),
  ...(openedAt === undefined ? {} : { openedAt: isoTime(openedAt) }),
});
