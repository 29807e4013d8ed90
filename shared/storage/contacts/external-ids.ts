import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { Table } from '../client/table.ts';

const holder = z.object({ contactId: id('contact') });

/** The organization's contact with an external id. One read. */
export const contactOfExternalId = async (
  table: Table,
  organizationId: Id<'organization'>,
  externalId: string,
): Promise<Id<'contact'> | undefined> => {
  const row = await table.get(KEYS.externalId(organizationId, externalId));
  return row && holder.parse(row).contactId;
};
