import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { SweepOutcome } from '../../domain/contacts/erase.ts';
import type { MoveTraces } from '../../domain/contacts/merge.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { allConsentRows, consentRange, movedConsentWrites } from './consent-history.ts';
import { sweepPartition, worstOf } from './sweep.ts';

/** Everything that names a contact, one partition of an index each. */
export const tracePartitions = (contactId: Id<'contact'>): readonly string[] => [
  INDEX_KEYS.turnsOfContact(contactId, '', '').gsi2pk,
  INDEX_KEYS.pushTokensOfContact(contactId, '', '').gsi2pk,
  INDEX_KEYS.customerEventsOfContact(contactId, '', '').gsi2pk,
  INDEX_KEYS.optOutsOf(contactId, '', '').gsi2pk,
  ...CHANNELS.flatMap((channel) => [
    INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk,
    INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk,
  ]),
];

/** Condition: the contact is there. In the transaction of each move, so that nothing moves to one that is deleted. */
const isThere = ({ id, organizationId: org }: Contact): WriteOp => ({
  check: KEYS.contact(id),
  when: { text: '#org = :org', values: { org } },
});

/** All of these moves or none; `more` where the heir is gone, or a row was changed meanwhile. */
const move = async (table: Table, heir: Contact, writes: readonly WriteOp[]): Promise<SweepOutcome> =>
  writes.length === 0 || (await table.transact([isThere(heir), ...writes])).ok ? 'done' : 'more';

/** A row that names the contact names its heir instead. A row that counts its changes has one more: who read it before does not write it back. */
const renamed = (row: Row, from: Id<'contact'>, to: Id<'contact'>, partition: string): WriteOp => ({
  update: { pk: row.pk, sk: row.sk },
  set: { ...(row.contactId === from ? { contactId: to } : {}), gsi2pk: partition },
  ...(row.version === undefined ? {} : { add: { version: 1 } }),
  when: { text: '#gsi2pk = :from', values: { from: String(row.gsi2pk) } },
});

/** Has messages, turns, devices and customer events of a merged contact, and opt-outs of its addresses, be its heir's. */
export const moveEntries =
  (table: Table): MoveTraces =>
  async (from, heir) => {
    const to = tracePartitions(heir.id);
    const outcomes: SweepOutcome[] = [];
    for (const [at, partition] of tracePartitions(from).entries())
      outcomes.push(
        await sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, (rows) => {
          const own = rows.filter((row) => row.gsi2pk === partition && row.org === heir.organizationId);
          return move(
            table,
            heir,
            own.map((row) => renamed(row, from, heir.id, to[at] as string)),
          );
        }),
      );
    return worstOf(outcomes);
  };

/** Has the changes of consent of a merged contact stand among its heir's, by their times. */
export const moveConsents =
  (table: Table): MoveTraces =>
  (from, heir) =>
    sweepPartition(table, { ...consentRange(from), only: ['pk', 'sk'] }, async (rows) => {
      const known = await allConsentRows(table, heir.id);
      return move(
        table,
        heir,
        rows.flatMap((row) => movedConsentWrites(row, heir.id, known)),
      );
    });
