import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { slotRows } from './slots.ts';

/** The binds to the stage's carrier, whichever processes of the SMPP service hold them. */
export const carrierBinds = (table: Table) => slotRows(table, KEYS.carrierBind);
