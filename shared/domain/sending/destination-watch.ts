import type { Channel } from '../message/channel.ts';

/*
 * Detects SMS pumping abroad: someone who earns a share of the fees of a number range triggers many messages to it that are never received.
 * Sends and deliveries are counted by prefix in slots of 30 seconds; a slot is evaluated once its messages had ten minutes to arrive.
 */

/** Sends within a window that make a prefix suspicious. */
export const SUSPECT_SENDS = 50;
/** The minimum share of a window's sends that must be delivered. */
const MIN_DELIVERED = 0.1;
/** The length of a window, and the time that each message has to arrive, in ms. */
const WINDOW_MS = 10 * 60_000;
const SLOT_MS = 30_000;
const WINDOW_SLOTS = WINDOW_MS / SLOT_MS;
/** How late a slot may still be evaluated, in ms; after that its counts are dropped. */
const GRACE_MS = WINDOW_MS;
/** How long after its end a slot may still receive counts, in ms. */
const LAG_MS = 60_000;
/** How long a prefix is held, in ms. */
export const HOLD_MS = 60 * 60_000;

/**
 * One digit for 1 and 7, two for the larger countries, else three. A regular expression, which a test compares with the
 * numbering plans, so that code that only counts messages need not load them.
 */
const CALLING_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
const NATIONAL_DIGITS = 4;

/** The prefix under which a number is monitored: its calling code and four more digits. */
export const watchedPrefix = (e164: string): string => {
  const digits = e164.slice(1);
  const [callingCode = ''] = CALLING_CODE.exec(digits) ?? [];
  return digits.slice(0, callingCode.length + NATIONAL_DIGITS);
};

/** Whether a send is monitored: SMS abroad. */
export const isWatched = ({ channel, region }: { channel: Channel; region?: 'BR' | 'INTL' | undefined }): boolean =>
  channel === 'sms' && region === 'INTL';

/** The slot of a moment (ms). */
export const slotAt = (at: number): number => Math.floor(at / SLOT_MS);

/** When a slot is evaluated, in ms: when its last message had time to arrive. */
export const judgedAt = (slot: number): number => (slot + 1) * SLOT_MS + WINDOW_MS;

/**
 * Whether a slot's counts are no longer needed: every window that contains it was evaluated, or is too old for that.
 */
export const isExpired = (slot: number, now: number): boolean => judgedAt(slot + WINDOW_SLOTS - 1) + GRACE_MS <= now;

/** Sends of a slot, and the number delivered. */
export interface SlotCount {
  readonly sends: number;
  readonly delivered: number;
}
export type SlotCounts = ReadonlyMap<number, SlotCount>;

/** The counts of the window that ends with a slot. */
const windowOf = (counts: SlotCounts, last: number): SlotCount => {
  let [sends, delivered] = [0, 0];
  for (let slot = last - WINDOW_SLOTS + 1; slot <= last; slot++) {
    sends += counts.get(slot)?.sends ?? 0;
    delivered += counts.get(slot)?.delivered ?? 0;
  }
  return { sends, delivered };
};

/** Whether a slot is due: its messages had time to arrive, and its window's counts are complete. */
const isDue = (slot: number, now: number): boolean => judgedAt(slot) <= now && now < judgedAt(slot) + GRACE_MS;

/** The first window of a prefix that has enough sends and too few deliveries; undefined when there is none. */
export const suspectWindow = (counts: SlotCounts, now: number): SlotCount | undefined =>
  [...counts.keys()]
    .filter((slot) => isDue(slot, now))
    .toSorted((a, b) => a - b)
    .map((slot) => windowOf(counts, slot))
    .find(({ sends, delivered }) => sends >= SUSPECT_SENDS && delivered < sends * MIN_DELIVERED);

/**
 * When a prefix must next be evaluated for some slots, in ms: the first pending one whose window has, or can still get,
 * enough sends. Undefined if there is none.
 */
export const nextJudgement = (counts: SlotCounts, slots: Iterable<number>, now: number): number | undefined => {
  const isSettled = (slot: number) =>
    (slot + 1) * SLOT_MS + LAG_MS <= now && windowOf(counts, slot).sends < SUSPECT_SENDS;
  const open = [...slots].filter((slot) => judgedAt(slot) > now && !isSettled(slot));
  return open.length === 0 ? undefined : judgedAt(Math.min(...open));
};
