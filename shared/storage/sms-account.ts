import * as z from 'zod';
import type { SmsAccount } from '../domain/sms/ports.ts';
import { KEYS } from './access-patterns.ts';
import type { Table } from './table.ts';

const row = z.object({ smsPerSecond: z.int().min(1).exactOptional() });

/** What an organization contracted for SMS. One read of one attribute. */
export const readSmsAccount = async (table: Table, organizationId: string): Promise<SmsAccount> => {
  const found = await table.get(KEYS.organization(organizationId), { eventual: true, only: ['smsPerSecond'] });
  return found ? row.parse(found) : {};
};
