import type * as z from 'zod';
import type { CallbackReading, ProviderEvent } from '../domain/message/provider-port.ts';

/** A field of a callback that is not processed, by the provider's name. */
interface Ignored {
  readonly kind: 'ignored';
  readonly field: string;
}
/** Field names that are safe to log; anything else could be user data. */
const FIELD = /^[a-z][a-z0-9_]{0,63}$/;
export const ignored = (field: string): Ignored => ({ kind: 'ignored', field: FIELD.test(field) ? field : 'unnamed' });

/** The events of one entry; `undefined` stands for a part that does not match its documented schema. */
export type EntryEvents = readonly (ProviderEvent | Ignored | undefined)[];

/** Parses each item on its own, so that an unreadable one does not affect the others. */
export const eachOf = <T>(
  schema: z.ZodType<T>,
  list: readonly unknown[] | undefined,
  eventsOf: (item: T) => EntryEvents,
): EntryEvents =>
  (list ?? []).flatMap((item) => {
    const read = schema.safeParse(item).data;
    return read === undefined ? [undefined] : eventsOf(read);
  });

/** The reading of a callback with these entries: unreadable ones are counted, and unprocessed fields named. */
export const readingOf = (found: EntryEvents): CallbackReading => {
  const events = found.filter((event): event is ProviderEvent => event !== undefined && event.kind !== 'ignored');
  const unreadable = found.filter((event) => event === undefined).length;
  const fields = [...new Set(found.flatMap((event) => (event?.kind === 'ignored' ? [event.field] : [])))];
  return {
    kind: 'events',
    events,
    ...(unreadable > 0 ? { unreadable } : {}),
    ...(fields.length > 0 ? { ignored: fields } : {}),
  };
};
