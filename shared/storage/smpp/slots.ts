import * as z from 'zod';
import { time, ttlAfter } from '../client/attributes.ts';
import type { Condition } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';

/** Attempts to take a slot: each conflict leaves one fewer slot to try, so the number of binds and a margin suffices. */
const MAX_ATTEMPTS = 60;

const slotRow = z.object({ slot: z.int(), bindId: z.string(), until: time, at: z.string().optional() });
/** One of a limited number of binds, and its holder. `at`: the address of its process. */
export interface Slot {
  readonly slot: number;
  readonly bindId: string;
  readonly at?: string | undefined;
}

/** Condition: the row does not exist, or its `until` has passed. */
export const isFreeAt = (now: number): Condition => ({
  text: 'attribute_not_exists(#pk) OR #until <= :now',
  values: { now: z.encode(time, now) },
});
/** Condition: this bind still holds the slot. */
const isOf = ({ bindId }: Slot): Condition => ({ text: '#bindId = :bindId', values: { bindId } });

/**
 * The concurrent binds, in one partition. Each is a separate row, so that the limit is exact whichever processes hold them, and renewals
 * don't conflict.
 */
export const slotRows = (table: Table, keyOf: (slot: number) => { readonly pk: string; readonly sk: string }) => {
  const held = async (now: number) => {
    const rows = await table.queryAll({ partition: keyOf(0).pk, consistent: true });
    return rows.map((row) => slotRow.parse(row)).filter(({ until }) => until > now);
  };
  return {
    /** The slots that are held. */
    held,
    /** Takes a free slot until a time (ms); undefined if none is free. An expired slot is free. */
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
        // A repeated write whose response was lost finds its own row.
        if (ok || other?.bindId === owner.bindId) return { slot, ...owner };
      }
      return undefined;
    },
    /** Renews a slot until a later time; false if another bind has it by now. */
    async keep(slot: Slot, until: number): Promise<boolean> {
      const { ok } = await table.write({
        update: keyOf(slot.slot),
        set: { until: z.encode(time, until), ttl: ttlAfter(until) },
        when: isOf(slot),
      });
      return ok;
    },
    /** Frees a slot, unless another bind has it by now. */
    async free(slot: Slot): Promise<void> {
      await table.write({ delete: keyOf(slot.slot), when: isOf(slot) });
    },
  };
};
