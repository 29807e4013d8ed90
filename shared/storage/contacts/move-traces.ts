import { CHANNELS } from '../../domain/channels/registry.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { MoveTraces } from '../../domain/contacts/merge.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { allConsentRows, consentRange, movedConsentWrites } from './consent-history.ts';
import { sweepPartition, worstOf } from './sweep.ts';

/** A partition of an index whose rows name a contact; the keys of rows say which partitions of the table a role may write. */
interface Place {
  readonly partition: string;
  readonly keyOf: (row: Row) => Key;
}

const messageKey = (row: Row) => KEYS.message(PARSE_KEY.message(row));

/** Everything of an organization that names a contact. */
const placesOf = (contactId: Id<'contact'>, organizationId: Id<'organization'>): readonly Place[] => [
  {
    partition: INDEX_KEYS.turnsOfContact(contactId, '', '').gsi2pk,
    keyOf: (row) => KEYS.aiTurn(PARSE_KEY.aiTurn(row)),
  },
  {
    partition: INDEX_KEYS.pushTokensOfContact(contactId, '', '').gsi2pk,
    keyOf: (row) => KEYS.pushToken(organizationId, PARSE_KEY.pushToken(row)),
  },
  {
    partition: INDEX_KEYS.customerEventsOfContact(contactId, '', '').gsi2pk,
    keyOf: (row) => KEYS.customerEvent(PARSE_KEY.customerEvent(row)),
  },
  ...(['open', 'done'] as const).map((state) => ({
    partition: INDEX_KEYS.activitiesOfContact(contactId, state, '', '').gsi2pk,
    keyOf: (row: Row) => KEYS.activity(PARSE_KEY.activity(row)),
  })),
  // Rows of phones, addresses and user ids.
  { partition: INDEX_KEYS.optOutsOf(contactId, '', '').gsi2pk, keyOf: ({ pk, sk }) => ({ pk, sk }) },
  ...CHANNELS.flatMap((channel) => [
    { partition: INDEX_KEYS.messagesOfContact(contactId, channel, '', '').gsi2pk, keyOf: messageKey },
    { partition: INDEX_KEYS.inboundOfContact(contactId, channel, '', '').gsi2pk, keyOf: messageKey },
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
const renamed = (row: Row, { partition, keyOf }: Place, from: Id<'contact'>, to: Contact, place: string): WriteOp => ({
  update: keyOf(row),
  set: { ...(row.contactId === from ? { contactId: to.id } : {}), gsi2pk: place },
  ...(row.version === undefined ? {} : { add: { version: 1 } }),
  when: { text: '#gsi2pk = :from', values: { from: partition } },
});

/** Has messages, turns, devices, customer events and activities of a merged contact, and opt-outs of its addresses, be its heir's. */
export const moveEntries =
  (table: Table): MoveTraces =>
  async (from, heir) => {
    const to = placesOf(heir.id, heir.organizationId);
    const outcomes: SweepOutcome[] = [];
    for (const [at, place] of placesOf(from, heir.organizationId).entries()) {
      const { partition } = place;
      const movePage = (rows: readonly Row[]) => {
        const own = rows.filter((row) => row.gsi2pk === partition && row.org === heir.organizationId);
        return move(
          table,
          heir,
          own.map((row) => renamed(row, place, from, heir, to[at]?.partition as string)),
        );
      };
      outcomes.push(await sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, movePage));
    }
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
