import { tellEvent, tellMessage, tellStatus } from '../../domain/journeys/triggers.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { runSignalRows } from '../../storage/automation/run-signals.ts';
import type { Row } from '../../storage/client/row.ts';
import { customerEventRows } from '../../storage/customer-events/customer-events.ts';
import { inboundRows, isInbound } from '../../storage/messages/inbound-rows.ts';
import { table } from '../process/aws.ts';
import { enginePorts } from './engine.ts';

/** What a row that tells journeys something says to them. */
const tell = async (row: Row): Promise<void> => {
  if (row.pk.startsWith('RUN#')) {
    const { runId, stepId: step, messageId, happening: status } = runSignalRows.read(row);
    return tellStatus(enginePorts, { runId, step, messageId, status });
  }
  if (row.pk.startsWith('CEV#')) return tellEvent(enginePorts, customerEventRows.read(row));
  if (!isInbound(row)) return undefined;
  const { id, organizationId, contactId, createdAt: at, payload } = inboundRows.read(row);
  const text = typeof payload.text === 'string' ? payload.text : undefined;
  return tellMessage(enginePorts, { id, organizationId, contactId, text, at });
};

/** Tells journeys something, and then that it is told: a row that is of no other use goes. */
export const processSignal = async ({ pk, sk }: WorkItem): Promise<void> => {
  const row = await table.get({ pk, sk });
  if (row?.duePk === undefined) return;
  await tell(row);
  const when = { text: '#duePk = :due', values: { due: row.duePk } };
  if (pk.startsWith('RUN#')) await table.write({ delete: { pk, sk }, when });
  else await table.write({ update: { pk, sk }, remove: ['duePk', 'dueAt'], when });
};
