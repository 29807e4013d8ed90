import { type CardFile, type CardFileBucket, fileKeyOf } from '../../domain/activities/card-file.ts';
import type { Erasure } from '../../domain/contacts/erase.ts';
import type { Gone, SweepOutcome } from '../../domain/core/clear-links.ts';
import { type Id, parseId } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { sweepPartition, worstOf } from '../contacts/sweep.ts';
import { type ActivityState, INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { activityDeletion } from './activities.ts';
import { activityRows } from './activity-rows.ts';
import { cardFileRows } from './card-file-rows.ts';

const STATES: readonly ActivityState[] = ['open', 'done'];
const IN_FLIGHT = 8;

type LinkIndex = 'gsi2' | 'gsi4';
/** The attribute of a link, besides its entry in the link's index. */
const ATTRIBUTE_OF = { gsi2: 'contactId', gsi4: 'campaignId' } as const satisfies Record<LinkIndex, string>;

const cleared = (row: Row, index: LinkIndex, partition: string): WriteOp => ({
  update: KEYS.activity(PARSE_KEY.activity(row)),
  remove: [ATTRIBUTE_OF[index], `${index}pk`, `${index}sk`],
  add: { version: 1 },
  when: { text: `#${index}pk = :partition`, values: { partition } },
});

/**
 * Removes a link from a bounded number of activities; the change increments their version, so that no concurrent writer restores the link.
 */
const clearLink = async (
  table: Table,
  organizationId: Id<'organization'>,
  index: LinkIndex,
  partitions: readonly string[],
): Promise<SweepOutcome> => {
  const outcomes: SweepOutcome[] = [];
  for (const partition of partitions) {
    const clearPage = async (rows: readonly Row[]): Promise<SweepOutcome> => {
      const own = rows.filter((row) => row[`${index}pk`] === partition && row.org === organizationId);
      const writes = own.map((row) => cleared(row, index, partition));
      return writes.length === 0 || (await table.transact(writes)).ok ? 'done' : 'more';
    };
    outcomes.push(await sweepPartition(table, { index, partition, only: ['pk', 'sk'] }, clearPage));
  }
  return worstOf(outcomes);
};

/** Removes a deleted contact from its activities. */
export const clearActivityContact =
  (table: Table) =>
  ({ contactId, organizationId }: Pick<Erasure, 'contactId' | 'organizationId'>): Promise<SweepOutcome> => {
    const partitions = STATES.map((state) => INDEX_KEYS.activitiesOfContact(contactId, state, '', '').gsi2pk);
    return clearLink(table, organizationId, 'gsi2', partitions);
  };

/** Removes a deleted company from its activities. */
export const clearActivityCompany =
  (table: Table) =>
  ({ id, organizationId }: Gone): Promise<SweepOutcome> => {
    const company = parseId('company', id);
    const partitions = STATES.map((state) => INDEX_KEYS.activitiesOfCompany(company, state, '', '').gsi4pk);
    return clearLink(table, organizationId, 'gsi4', partitions);
  };

/** Deletes the activities of a deleted card, and updates the counters. */
export const deleteCardActivities =
  (table: Table) =>
  async ({ id, organizationId }: Gone): Promise<SweepOutcome> => {
    const cardId = parseId('card', id);
    const outcomes: SweepOutcome[] = [];
    for (const state of STATES) {
      const deletePage = async (rows: readonly Row[]): Promise<SweepOutcome> => {
        const activities = rows.map(activityRows.read).filter((activity) => activity.cardId === cardId);
        const own = activities.filter((activity) => activity.organizationId === organizationId);
        const deleted = await mapConcurrently(
          own,
          IN_FLIGHT,
          async (activity) => (await table.transact(activityDeletion(activity))).ok,
        );
        return deleted.every(Boolean) ? 'done' : 'more';
      };
      const partition = INDEX_KEYS.activitiesOfCard(cardId, state, '', '').gsi3pk;
      outcomes.push(await sweepPartition(table, { index: 'gsi3', partition, only: ['pk', 'sk'] }, deletePage));
    }
    return worstOf(outcomes);
  };

const isFile = ({ sk }: Key): boolean => sk.startsWith(KEYS.cardFile('' as Id<'card'>, '').sk);

/** Maximum rows of a card that one sweep deletes. */
const MAX_ROWS = 200;

/** Deletes the rest of a deleted card's partition: its files, with their bytes before their rows, its history and its file count. */
export const deleteCardRows =
  (table: Table, bucket: () => Pick<CardFileBucket, 'remove'>) =>
  async ({ id }: Gone): Promise<SweepOutcome> => {
    const cardId = parseId('card', id);
    const { rows, nextKey } = await table.query({ partition: KEYS.card(cardId).pk, consistent: true, limit: MAX_ROWS });
    const removeBytes = (file: CardFile) => bucket().remove(fileKeyOf(file, file.id));
    await mapConcurrently(rows, IN_FLIGHT, async (row) => {
      if (isFile(row)) await removeBytes(cardFileRows.read(row));
      await table.write({ delete: { pk: KEYS.card(cardId).pk, sk: row.sk } });
    });
    return nextKey ? 'more' : 'done';
  };
