import * as z from 'zod';
import { time, ttlAfter } from '../client/attributes.ts';
import type { Condition } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';

/** A number of a slot that others took meanwhile is one less to try: as many tries as there are binds, and some more. */
const MAX_ATTEMPTS = 60;

const slotRow = z.object({ slot: z.int(), bindId: z.string(), until: time, at: z.string().optional() });
/** One of a number of binds, and whose it is. `at`: where its process can be reached. */
export interface Slot {
  readonly slot: number;
  readonly bindId: string;
  readonly at?: string | undefined;
}

/** Condition: nobody holds the row, or its `until` has passed. */
export const isFreeAt = (now: number): Condition => ({
  text: 'attribute_not_exists(#pk) OR #until <= :now',
  values: { now: z.encode(time, now) },
});
/** Condition: the slot is still this bind's. */
const isOf = ({ bindId }: Slot): Condition => ({ text: '#bindId = :bindId', values: { bindId } });

/**
 * The binds that may be held at once, in one partition. Each is a row of its own, so that their number is exact whichever processes hold them, and keeping
 * one meets no other.
 */
export const slotRows = (table: Table, keyOf: (slot: number) => { readonly pk: string; readonly sk: string }) => {
  const held = async (now: number) => {
    const rows = await table.queryAll({ partition: keyOf(0).pk, consistent: true });
    return rows.map((row) => slotRow.parse(row)).filter(({ until }) => until > now);
  };
  return {
    /** The slots that are held. */
    held,
    /** Takes a free slot until a moment (ms); undefined when none is free. A slot whose moment has passed is free. */
    async take(
      count: number,
      owner: Omit<Slot, 'slot'>,
      { now, until }: { readonly now: number; readonly until: number },
    ): Promise<Slot | undefined> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const taken = new Set((await held(now)).map(({ slot }) => slot));
        const free = Array.from({ length: count }, (_, slot) => slot).filter((slot) => !taken.has(slot));
        const slot = free[Math.floor(Math.random() * free.length)];
        if (slot === undefined) return undefined;
        const row = { ...keyOf(slot), ...z.encode(slotRow, { slot, ...owner, until }), ttl: ttlAfter(until) };
        const { ok, row: other } = await table.write({ put: row, when: isFreeAt(now) });
        // A repeat of a write whose answer was lost finds its own.
        if (ok || other?.bindId === owner.bindId) return { slot, ...owner };
      }
      return undefined;
    },
    /** Holds a slot until a later moment; false when it is another's by now. */
    async keep(slot: Slot, until: number): Promise<boolean> {
      const { ok } = await table.write({
        update: keyOf(slot.slot),
        set: { until: z.encode(time, until), ttl: ttlAfter(until) },
        when: isOf(slot),
      });
      return ok;
    },
    /** Frees a slot, unless it is another's by now. */
    async free(slot: Slot): Promise<void> {
      await table.write({ delete: keyOf(slot.slot), when: isOf(slot) });
    },
  };
};
