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

/** An index partition whose rows refer to a contact; `keys` determine which table partitions a role may write. */
interface Place {
  readonly partition: string;
  readonly keyOf: (row: Row) => Key;
}

const messageKey = (row: Row) => KEYS.message(PARSE_KEY.message(row));

/** All partitions of an organization that refer to a contact. */
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

/** Condition: the contact exists. Part of each move's transaction, so that nothing is moved to a deleted one. */
const isThere = ({ id, organizationId: org }: Contact): WriteOp => ({
  check: KEYS.contact(id),
  when: { text: '#org = :org', values: { org } },
});

/** All of these moves or none; `more` if the surviving contact is gone, or a row changed meanwhile. */
const move = async (table: Table, heir: Contact, writes: readonly WriteOp[]): Promise<SweepOutcome> =>
  writes.length === 0 || (await table.transact([isThere(heir), ...writes])).ok ? 'done' : 'more';

/**
 * The row with the surviving contact in place of the merged one. A row's version is incremented, so that a concurrent writer can't restore
 * the old link.
 */
const renamed = (row: Row, { partition, keyOf }: Place, from: Id<'contact'>, to: Contact, place: string): WriteOp => ({
  update: keyOf(row),
  set: { ...(row.contactId === from ? { contactId: to.id } : {}), gsi2pk: place },
  ...(row.version === undefined ? {} : { add: { version: 1 } }),
  when: { text: '#gsi2pk = :from', values: { from: partition } },
});

/**
 * Moves messages, turns, devices, customer events and activities of a merged contact, and opt-outs of its addresses, to the surviving one.
 */
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

/** Moves the consent history of a merged contact into that of the surviving one, by time. */
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
