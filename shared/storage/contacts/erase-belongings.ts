import type { Erased, Erasure } from '../../domain/contacts/erase.ts';
import { contactEventId } from '../../domain/contacts/events.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { turnEventId } from '../../domain/tracking/ai-turn.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Key, Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { eraseEvents } from '../webhooks/erase-deliveries.ts';
import { turnRows } from './ai-turns.ts';
import { consentEventId, consentRange } from './consent-history.ts';
import { eraseCounted } from './erasures.ts';
import { membershipRange } from './membership-range.ts';
import { sweepPartition } from './sweep.ts';

/** Events of a person, reduced to the fact that they were about this contact. */
const eventsWithout = (contactId: Id<'contact'>, ids: readonly Id<'event'>[]) =>
  ids.map((id) => ({ id, data: { contactId, erased: true } }));

/** Deletes all rows of a contact's index partition, after `before` has processed them. */
const deleteAll = (
  table: Table,
  erasure: Erasure,
  erased: Erased,
  partition: string,
  keyOf: (row: Row) => Key,
  before?: (rows: readonly Row[]) => Promise<void>,
): Promise<SweepOutcome> =>
  sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, async (rows): Promise<SweepOutcome> => {
    await before?.(rows);
    const writes = rows.map((row) => ({ delete: keyOf(row), when: EXISTS }));
    return (await eraseCounted(table, erasure, erased, writes)) ? 'done' : 'more';
  });

/** Deletes a range of a contact's own partition, without counting the rows as erased objects. */
const deleteRange = (table: Table, contactId: Id<'contact'>, range: QueryRange): Promise<SweepOutcome> =>
  sweepPartition(table, { ...range, only: ['pk', 'sk'] }, async (rows): Promise<SweepOutcome> => {
    await Promise.all(rows.map(({ sk }) => table.write({ delete: { pk: KEYS.contact(contactId).pk, sk } })));
    return 'done';
  });

/** Deletes a person's consent history, and removes the person from its events. */
export const eraseConsents =
  (table: Table) =>
  ({ contactId, organizationId }: Erasure): Promise<SweepOutcome> =>
    sweepPartition(table, { ...consentRange(contactId), only: ['pk', 'sk'] }, async (rows): Promise<SweepOutcome> => {
      const ids = rows.map(consentEventId).filter((id) => id !== undefined);
      await eraseEvents(table, organizationId, eventsWithout(contactId, ids));
      await Promise.all(rows.map(({ pk, sk }) => table.write({ delete: { pk, sk } })));
      return 'done';
    });

/** Removes a person from its creation event. */
export const eraseCreation =
  (table: Table) =>
  async ({ contactId, organizationId }: Erasure): Promise<SweepOutcome> => {
    const id = contactEventId('contact.created', { id: contactId, version: 1 });
    await eraseEvents(table, organizationId, eventsWithout(contactId, [id]));
    return 'done';
  };

/** Deletes a person's segment transitions. */
export const eraseMemberships =
  (table: Table) =>
  ({ contactId }: Erasure): Promise<SweepOutcome> =>
    deleteRange(table, contactId, membershipRange(contactId));

/** Deletes assistants' turns of a person, and removes the person from their events. */
export const eraseTurns =
  (table: Table) =>
  (erasure: Erasure): Promise<SweepOutcome> => {
    const { contactId, organizationId } = erasure;
    const partition = INDEX_KEYS.turnsOfContact(contactId, '', '').gsi2pk;
    const forgetEvents = (rows: readonly Row[]) => {
      const ids = rows.map((row) => turnEventId(turnRows.read(row).id));
      return eraseEvents(table, organizationId, eventsWithout(contactId, ids));
    };
    return deleteAll(table, erasure, 'turns', partition, (row) => KEYS.aiTurn(turnRows.read(row).id), forgetEvents);
  };

/** Deletes the push devices of a person. */
export const eraseDevices =
  (table: Table) =>
  (erasure: Erasure): Promise<SweepOutcome> => {
    const { contactId, organizationId } = erasure;
    const partition = INDEX_KEYS.pushTokensOfContact(contactId, '', '').gsi2pk;
    return deleteAll(table, erasure, 'devices', partition, (row) =>
      KEYS.pushToken(organizationId, PARSE_KEY.pushToken(row)),
    );
  };
