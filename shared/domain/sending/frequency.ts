import { type FrequencyCap, fitsFrom, hourOf, type SentCounts, staleHours } from '../contacts/frequency.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { MessageRecord } from '../message/message.ts';

/** Counts a send for its contact's frequency caps (docs/spec/sends.md#frequency). */
export interface SendFrequency {
  /** Refuses the send if it would exceed this cap. */
  readonly cap?: FrequencyCap | undefined;
}

/** A reservation's change of a contact's send counts. Condition: the counts are still at the version that was read. */
export interface CountedSend {
  readonly contactId: Id<'contact'>;
  readonly sends: number;
  readonly hour: number;
  readonly version: number;
  /** Expired hours to drop. */
  readonly stale: readonly number[];
}

/** The send would exceed a cap; `freeAt` in `meta` is when the cap allows a message again. */
const capped = (freeAt: number) =>
  refuse('PRECONDITION_FAILED', {
    detail: 'The contact was sent as many messages as the frequency cap allows.',
    meta: { motivo: 'frequency_cap', freeAt: isoTime(freeAt) },
  });

/** Counts a send at `now` (ms); 412 if it would exceed the cap. */
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
 * Counts a further send to the same contact in the same reservation, in the same hour; 412 if it would exceed the cap.
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
 * Whether a message with a released hold stops counting: it was certainly never sent, and no fallback continues in its
 * place. `certain`: a provider was called, and certainly did not accept it.
 */
export const stopsCounting = (
  { status, fallbackId }: Pick<MessageRecord, 'fallbackId' | 'status'>,
  reason: string | undefined,
  certain: boolean,
): boolean => (status === 'queued' || certain) && (fallbackId === undefined || reason === 'cancelled');
