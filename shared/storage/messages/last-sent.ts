import type { LastSent } from '../../domain/message/recipient.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

export const lastSentRows = defineRow<LastSent>()({
  attributes: { organizationId: id('organization'), messageId: id('message'), at: time },
  key: ({ organizationId }, provider: string, reference: string) => KEYS.lastSent(provider, reference, organizationId),
});

/** The last messages under a reference, one per organization, newest first. One query. */
export const readLastSent =
  (table: Table) =>
  async (provider: string, reference: string): Promise<readonly LastSent[]> => {
    // The organization is not known yet, so the partition covers all of them.
    const { pk: partition } = KEYS.lastSent(provider, reference, '' as never);
    const { rows } = await table.query({ partition });
    return rows.map(lastSentRows.read).sort((a, b) => b.at - a.at);
  };
