import type { BulkPorts } from '../../domain/bulk/ports.ts';
import { channelOf } from '../../domain/channels/registry.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Table } from '../client/table.ts';
import { readRecipients } from '../contacts/recipient-eligibility.ts';

const nameOf = (kind: string, to: string) => `${kind} ${to}`;

/** Why the consent on file refuses each plan, in the plans' order. One read of each row, 100 per round trip. */
export const consentFaults = async (
  table: Table,
  organizationId: Id<'organization'>,
  given: Parameters<BulkPorts['consentFaults']>[1],
): ReturnType<BulkPorts['consentFaults']> => {
  const plans = given.map(({ plan }) => plan);
  const hashes = new Map(
    given.map(
      ({ plan, recipientHash }) => [nameOf(channelOf(plan.channel).recipient, plan.to), recipientHash] as const,
    ),
  );
  const recipientHashOf = async (kind: string, to: string) => hashes.get(nameOf(kind, to)) ?? '';
  const { eligibilities } = await readRecipients(table, organizationId, plans, recipientHashOf);
  return eligibilities.map(({ consent }) => consent);
};
