import type { Erased, Erasure } from '../../domain/contacts/erase.ts';
import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Key, Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { turnRows } from './ai-turns.ts';
import { consentRange } from './consent-history.ts';
import { eraseCounted } from './erasures.ts';
import { sweepPartition } from './sweep.ts';

/** Deletes all rows of a contact's partition of an index. */
const deleteAll = (
  table: Table,
  erasure: Erasure,
  erased: Erased,
  partition: string,
  keyOf: (row: Row) => Key,
): Promise<SweepOutcome> =>
  sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, async (rows): Promise<SweepOutcome> => {
    const writes = rows.map((row) => ({ delete: keyOf(row), when: EXISTS }));
    return (await eraseCounted(table, erasure, erased, writes)) ? 'done' : 'more';
  });

/** Deletes a range of a contact's own partition. What is there is no belonging of its own, and not counted. */
const deleteRange = (table: Table, contactId: Id<'contact'>, range: QueryRange): Promise<SweepOutcome> =>
  sweepPartition(table, { ...range, only: ['pk', 'sk'] }, async (rows): Promise<SweepOutcome> => {
    await Promise.all(rows.map(({ sk }) => table.write({ delete: { pk: KEYS.contact(contactId).pk, sk } })));
    return 'done';
  });

/** Deletes how a person's consent changed. */
export const eraseConsents =
  (table: Table) =>
  ({ contactId }: Erasure): Promise<SweepOutcome> =>
    deleteRange(table, contactId, consentRange(contactId));

/** Deletes since when a person was in segments, or out of them. */
export const eraseMemberships =
  (table: Table) =>
  ({ contactId }: Erasure): Promise<SweepOutcome> => {
    const { pk: partition, sk: prefix } = KEYS.membership(contactId, '');
    return deleteRange(table, contactId, {
      partition,
      sort: { text: 'begins_with(#sk, :prefix)', values: { prefix } },
    });
  };

/** Deletes what assistants reported of a person. */
export const eraseTurns =
  (table: Table) =>
  (erasure: Erasure): Promise<SweepOutcome> => {
    const partition = INDEX_KEYS.turnsOfContact(erasure.contactId, '', '').gsi2pk;
    return deleteAll(table, erasure, 'turns', partition, (row) => KEYS.aiTurn(turnRows.read(row).id));
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
