import type { Channel } from '../message/channel.ts';

/*
 * The watch over SMS abroad. Someone who earns on a range of numbers lets many messages be sent there, which nobody receives. Sends and
 * deliveries are counted by prefix in slots of half a minute; a slot is judged when its messages had ten minutes to arrive.
 */

/** Sends within a window that make a prefix suspect. */
export const SUSPECT_SENDS = 50;
/** Of a window's sends, the share that must have been delivered. */
const MIN_DELIVERED = 0.1;
/** How long sends are added up, and how long each may take to arrive, in ms. */
const WINDOW_MS = 10 * 60_000;
const SLOT_MS = 30_000;
const WINDOW_SLOTS = WINDOW_MS / SLOT_MS;
/** How late a slot may still be judged, in ms; after that its counts are dropped. */
const GRACE_MS = WINDOW_MS;
/** A slot's counts may still come in for this long after its end, in ms. */
const LAG_MS = 60_000;
/** How long a prefix is held, in ms. */
export const HOLD_MS = 60 * 60_000;

/**
 * One digit for 1 and 7, two for those of the larger countries, else three. A pattern, which a test compares with the numbering plans: what
 * only counts messages need not load them.
 */
const CALLING_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
const NATIONAL_DIGITS = 4;

/** The prefix under which a number is watched, as digits: its calling code and four more. */
export const watchedPrefix = (e164: string): string => {
  const digits = e164.slice(1);
  const [callingCode = ''] = CALLING_CODE.exec(digits) ?? [];
  return digits.slice(0, callingCode.length + NATIONAL_DIGITS);
};

/** Whether sends like this one are watched: SMS abroad. */
export const isWatched = ({ channel, region }: { channel: Channel; region?: 'BR' | 'INTL' | undefined }): boolean =>
  channel === 'sms' && region === 'INTL';

/** The slot of a moment (ms). */
export const slotAt = (at: number): number => Math.floor(at / SLOT_MS);

/** When a slot is judged, in ms: its last message has had the time to arrive. */
export const judgedAt = (slot: number): number => (slot + 1) * SLOT_MS + WINDOW_MS;

/** Whether a slot's counts are of no more use: every window that it is in was judged, or is too old to be. */
export const isExpired = (slot: number, now: number): boolean => judgedAt(slot + WINDOW_SLOTS - 1) + GRACE_MS <= now;

/** Sends of a slot, and how many of them were delivered. */
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

/** Whether a slot is to be judged now: its time has come, and all of its window is still counted. */
const isDue = (slot: number, now: number): boolean => judgedAt(slot) <= now && now < judgedAt(slot) + GRACE_MS;

/** The first window of a prefix that has enough sends and too few deliveries; undefined when there is none. */
export const suspectWindow = (counts: SlotCounts, now: number): SlotCount | undefined =>
  [...counts.keys()]
    .filter((slot) => isDue(slot, now))
    .toSorted((a, b) => a - b)
    .map((slot) => windowOf(counts, slot))
    .find(({ sends, delivered }) => sends >= SUSPECT_SENDS && delivered < sends * MIN_DELIVERED);

/**
 * When a prefix must be judged next for the sake of some slots, in ms: the first of them that is not judged yet, without those whose window
 * has too few sends and gets no more. Undefined when there is none.
 */
export const nextJudgement = (counts: SlotCounts, slots: Iterable<number>, now: number): number | undefined => {
  const isSettled = (slot: number) =>
    (slot + 1) * SLOT_MS + LAG_MS <= now && windowOf(counts, slot).sends < SUSPECT_SENDS;
  const open = [...slots].filter((slot) => judgedAt(slot) > now && !isSettled(slot));
  return open.length === 0 ? undefined : judgedAt(Math.min(...open));
};
