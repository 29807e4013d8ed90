import type { JourneySignal, JourneySignals, SignalKey } from '../../domain/journeys/signals.ts';
import { runSignalRows } from '../automation/run-signals.ts';
import { taggedRows } from '../automation/tagged-contacts.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { customerEventRows } from '../customer-events/customer-events.ts';
import { rowKey } from '../due-work/rows-of-kind.ts';
import { inboundRows } from '../messages/inbound-rows.ts';
import { isCustomerEvent, isRunSignal, isTaggedContact } from '../parse-key.ts';

const readSignal = (row: Row): JourneySignal => {
  if (isRunSignal(row)) return { kind: 'message', signal: runSignalRows.read(row) };
  if (isTaggedContact(row)) return { kind: 'tags', tagged: taggedRows.read(row) };
  return isCustomerEvent(row)
    ? { kind: 'event', event: customerEventRows.read(row) }
    : { kind: 'inbound', message: inboundRows.read(row) };
};

const keyOf = (key: SignalKey) => rowKey({ kind: 'journey_signal', ...key });

/** Signals for journeys, in the table of one stage: separate rows for messages, otherwise the object's own row is due. */
export const journeySignals = (table: Table): JourneySignals => ({
  async read(key) {
    const row = await table.get(keyOf(key));
    return row?.duePk === undefined ? undefined : readSignal(row);
  },
  async done(key) {
    const own = keyOf(key);
    await table.write(
      isRunSignal(own) || isTaggedContact(own)
        ? { delete: own }
        : { update: own, remove: ['duePk', 'dueAt'], when: EXISTS },
    );
  },
});
