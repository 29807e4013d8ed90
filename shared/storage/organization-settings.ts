import * as z from 'zod';
import { KEYS } from './access-patterns.ts';
import type { Table } from './table.ts';

const row = z.object({ smsPerSecond: z.int().min(1).optional() });

/** SMS per second that an organization contracted; undefined when there is no ceiling. One read of one attribute. */
export const readSmsPerSecond = async (table: Table, organizationId: string): Promise<number | undefined> => {
  const found = await table.get(KEYS.organization(organizationId), { eventual: true, only: ['smsPerSecond'] });
  return found ? row.parse(found).smsPerSecond : undefined;
};
