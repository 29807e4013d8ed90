import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { SenderChannel } from '../../shared/domain/senders/sender.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { senderRow } from '../../shared/storage/senders/senders.ts';

const SENDERS: readonly (readonly [SenderChannel, string])[] = [
  ['email', 'azul.example'],
  ['email', 'loja.example'],
  ['sms', 'LOJA'],
  ['sms', 'LOJA AZUL'],
  ['sms', '+5511400009999'],
];

/**
 * Makes the senders of the examples an organization's own. Written past the rule that each belongs to one organization, so that all
 * organizations of a test can be the same shop.
 */
export const giveSenders = async (table: Table, organizationId: Id<'organization'>): Promise<void> => {
  for (const [channel, value] of SENDERS)
    await table.write({
      put: senderRow({
        id: newId('sender'),
        organizationId,
        channel,
        value,
        status: 'verified',
        isDefault: false,
        version: 1,
        createdAt: 0,
        updatedAt: 0,
      }),
    });
};
