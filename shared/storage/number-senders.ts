import * as z from 'zod';
import { NUMBER_STATUSES, type WhatsappNumber } from '../domain/numbers/number.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Row, Table } from './table.ts';

/** What a send needs of a WhatsApp number besides its access token. */
export type NumberSender = Pick<WhatsappNumber, 'id' | 'organizationId' | 'phoneNumberId' | 'status'>;
const stored = z.object({
  id: z.string(),
  org: z.string(),
  phoneNumberId: z.string(),
  status: z.enum(NUMBER_STATUSES),
});
const parse = (row: Row): NumberSender => {
  const { org: organizationId, ...fields } = stored.parse(row);
  return { ...fields, organizationId } as NumberSender;
};

/** A number by our id of it, whoever's it is; undefined once it is disconnected. One read. */
export const readNumberSender = async (table: Table, id: string): Promise<NumberSender | undefined> => {
  const row = await table.get(KEYS.number(id));
  return row && parse(row);
};

/** The ids of an organization's numbers, two at most: enough to tell none, the only one and several apart. */
export const readSomeNumberIds = async (table: Table, organizationId: string): Promise<readonly string[]> => {
  const { rows } = await table.query({
    index: 'gsi1',
    partition: FINDS.numbersOf(organizationId, '', '').gsi1pk,
    only: ['pk'],
    limit: 2,
  });
  return rows.map(({ pk }) => pk.slice(pk.indexOf('#') + 1));
};
