import type { Id } from '../../domain/core/ids.ts';
import type { BindStore } from '../../domain/smpp/bind.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { slotRows } from './slots.ts';

/** The binds of a stage's accounts. */
export const bindStore = (table: Table): BindStore => {
  const slotsOf = (accountId: Id<'smppAccount'>) => slotRows(table, (slot) => KEYS.smppBind(accountId, slot));
  return {
    async take(accountId, maxBinds, bindId, times) {
      const taken = await slotsOf(accountId).take(maxBinds, { bindId }, times);
      return taken && { accountId, slot: taken.slot, bindId };
    },
    keep: (slot, until) => slotsOf(slot.accountId).keep(slot, until),
    free: (slot) => slotsOf(slot.accountId).free(slot),
  };
};
