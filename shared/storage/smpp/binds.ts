import * as z from 'zod';
import type { BindSlot, BindStore } from '../../domain/smpp/bind.ts';
import { KEYS } from '../access-patterns.ts';
import { time, ttlAfter } from '../client/attributes.ts';
import type { Condition } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';

/** A number of a slot that others took meanwhile is one less to try: as many tries as an account has binds, and some more. */
const MAX_ATTEMPTS = 60;

const slotRow = z.object({ slot: z.int(), bindId: z.string(), until: time });

const isFreeAt = (now: number): Condition => ({
  text: 'attribute_not_exists(#pk) OR #until <= :now',
  values: { now: z.encode(time, now) },
});
/** Condition: the slot is still this bind's. */
const isOf = ({ bindId }: BindSlot): Condition => ({ text: '#bindId = :bindId', values: { bindId } });

/**
 * The binds of a stage's accounts. Each that an account may have is a row of its own, so that their number is exact whichever processes hold
 * them, and keeping one meets no other.
 */
export const bindStore = (table: Table): BindStore => ({
  async take(accountId, maxBinds, bindId, { now, until }) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const rows = await table.queryAll({ partition: KEYS.smppBind(accountId, 0).pk, consistent: true });
      const held = new Set(rows.map((row) => slotRow.parse(row)).flatMap((one) => (one.until > now ? [one.slot] : [])));
      const free = Array.from({ length: maxBinds }, (_, slot) => slot).filter((slot) => !held.has(slot));
      const slot = free[Math.floor(Math.random() * free.length)];
      if (slot === undefined) return undefined;
      const row = {
        ...KEYS.smppBind(accountId, slot),
        ...z.encode(slotRow, { slot, bindId, until }),
        ttl: ttlAfter(until),
      };
      const { ok, row: other } = await table.write({ put: row, when: isFreeAt(now) });
      // A repeat of a write whose answer was lost finds its own.
      if (ok || other?.bindId === bindId) return { accountId, slot, bindId };
    }
    return undefined;
  },
  async keep(slot, until) {
    const { ok } = await table.write({
      update: KEYS.smppBind(slot.accountId, slot.slot),
      set: { until: z.encode(time, until), ttl: ttlAfter(until) },
      when: isOf(slot),
    });
    return ok;
  },
  async free(slot) {
    await table.write({ delete: KEYS.smppBind(slot.accountId, slot.slot), when: isOf(slot) });
  },
});
