import { type FrequencyCap, fitsFrom, hourOf, type SentCounts, staleHours } from '../contacts/frequency.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { MessageRecord } from '../message/message.ts';

/** Makes a send count for the frequency caps of its contact (docs/spec/sends.md#frequency). */
export interface SendFrequency {
  /** Refuses the send that would be one more than this. */
  readonly cap?: FrequencyCap | undefined;
}

/** How a reservation counts its sends to a contact. Condition: nothing was counted since the counts of this version were read. */
export interface CountedSend {
  readonly contactId: Id<'contact'>;
  readonly sends: number;
  readonly hour: number;
  readonly version: number;
  /** Hours that are dropped with it. */
  readonly stale: readonly number[];
}

/** The contact would be sent more than a cap allows; `freeAt` in `meta` is when it allows a message again. */
const capped = (freeAt: number) =>
  refuse('PRECONDITION_FAILED', {
    detail: 'The contact was sent as many messages as the frequency cap allows.',
    meta: { motivo: 'frequency_cap', freeAt: isoTime(freeAt) },
  });

/** Counts a send at `now` (ms); 412 where it would be one more than the cap allows. */
export const countSend = (
  contactId: Id<'contact'>,
  { version, byHour }: SentCounts,
  { cap }: SendFrequency,
  now: number,
): CountedSend | Refusal<'PRECONDITION_FAILED'> => {
  const freeAt = cap ? fitsFrom(byHour, cap, now) : now;
  if (freeAt > now) return capped(freeAt);
  return { contactId, sends: 1, hour: hourOf(now), version, stale: staleHours(byHour, now) };
};

/**
 * Counts a further send to the same contact in the same reservation, in the hour of those before it; 412 where it would be one more than the cap allows.
 */
export const countAnother = (
  counted: CountedSend,
  { byHour }: SentCounts,
  { cap }: SendFrequency,
  now: number,
): CountedSend | Refusal<'PRECONDITION_FAILED'> => {
  const { hour, sends } = counted;
  const freeAt = cap ? fitsFrom(new Map([...byHour, [hour, (byHour.get(hour) ?? 0) + sends]]), cap, now) : now;
  return freeAt > now ? capped(freeAt) : { ...counted, sends: sends + 1 };
};

/**
 * Whether a message whose hold is released stops counting: it certainly never left, and no fallback goes on in its place. `certain`: a provider was
 * called, and has certainly not taken it.
 */
export const stopsCounting = (
  { status, fallbackId }: Pick<MessageRecord, 'fallbackId' | 'status'>,
  reason: string | undefined,
  certain: boolean,
): boolean => (status === 'queued' || certain) && (fallbackId === undefined || reason === 'cancelled');
