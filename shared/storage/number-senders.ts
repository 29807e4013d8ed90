import * as z from 'zod';
import type { WhatsappNumber } from '../domain/numbers/number.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Row, Table } from './table.ts';

/** What a send needs of a WhatsApp number besides its access token. */
export type NumberSender = Pick<WhatsappNumber, 'id' | 'organizationId' | 'phoneNumberId'>;
const stored = z.object({ id: z.string(), org: z.string(), phoneNumberId: z.string() });
const parse = (row: Row): NumberSender => {
  const { org: organizationId, ...fields } = stored.parse(row);
  return { ...fields, organizationId } as NumberSender;
};

/** A number by our id of it, whoever's it is; undefined once it is disconnected. One read. */
export const readNumberSender = async (table: Table, id: string): Promise<NumberSender | undefined> => {
  const row = await table.get(KEYS.number(id));
  return row && parse(row);
};

/** The id of the organization's number where it has exactly one; undefined where a send must name one, or there is none. */
export const readOnlyNumberId = async (table: Table, organizationId: string): Promise<string | undefined> => {
  const { rows } = await table.query({
    index: 'gsi1',
    partition: FINDS.numbersOf(organizationId, '', '').gsi1pk,
    only: ['pk'],
    limit: 2,
  });
  const [only, ...others] = rows;
  return only && others.length === 0 ? only.pk.slice(only.pk.indexOf('#') + 1) : undefined;
};
