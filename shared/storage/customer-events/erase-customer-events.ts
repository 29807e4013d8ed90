import type { Erasure } from '../../domain/contacts/erase.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { sweepPartition } from '../contacts/sweep.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';

/** Removes a person from its customer events: the sale and its attribution stay. */
export const eraseCustomerEvents =
  (table: Table) =>
  ({ contactId }: Erasure): Promise<SweepOutcome> => {
    const partition = INDEX_KEYS.customerEventsOfContact(contactId, '', '').gsi2pk;
    return sweepPartition(
      table,
      { index: 'gsi2', partition, only: ['pk', 'sk'] },
      async (rows): Promise<SweepOutcome> => {
        const remove = ['contactId', 'contactExternalId', 'gsi2pk', 'gsi2sk'];
        const when = { text: '#contactId = :contact', values: { contact: contactId } };
        const ids = rows.map(PARSE_KEY.customerEvent);
        await Promise.all(ids.map((id) => table.write({ update: KEYS.customerEvent(id), remove, when })));
        return 'done';
      },
    );
  };
