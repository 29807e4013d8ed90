import * as z from 'zod';
import { ID_PREFIXES, type Id, parseId } from '../../domain/core/ids.ts';
import { type LinkedId, linksOf, NO_TOMBSTONES, type Tombstones, withLinksNow } from '../../domain/core/tombstones.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time, ttlAfter } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';

/** That an object is gone which something may still name. */
export interface Tombstone {
  readonly organizationId: Id<'organization'>;
  readonly id: LinkedId;
  /** The contact that a merged one became. */
  readonly to?: Id<'contact'> | undefined;
  /** When the object was deleted, in ms. */
  readonly at: number;
  /** That a look at all that named the object left nothing: only what an index did not show then may be left. */
  readonly isCleared?: true | undefined;
}
const tombstoneRows = defineRow<Tombstone>()({
  attributes: {
    organizationId: id('organization'),
    id: z.union([id('card'), id('company'), id('contact')]),
    to: id('contact').optional(),
    at: time,
    isCleared: z.literal(true).optional(),
  },
  rename: { organizationId: 'org' },
  key: ({ organizationId, id: gone }) => KEYS.tombstone(organizationId, gone),
});

const dueAt = (of: LinkedId, at: number) => INDEX_KEYS.due('clean_up', of, at);

/**
 * Marks a contact as gone, or as another since `to`, in the transaction that deletes it, where anything ever named it (`crmLinks`). What clears its links ends with
 * `expireTombstone`.
 */
export const contactTombstone = (tombstone: Tombstone & { readonly id: Id<'contact'> }): WriteOp => ({
  put: tombstoneRows.write(tombstone),
});

/** Marks a company or a card as gone, in the transaction that deletes it; due at once, so that its links are cleared. */
export const tombstoneWrite = (tombstone: Tombstone & { readonly id: Id<'card'> | Id<'company'> }): WriteOp => ({
  put: { ...tombstoneRows.write(tombstone), ...dueAt(tombstone.id, tombstone.at) },
});

export const readTombstone = (table: Table, organizationId: Id<'organization'>, of: LinkedId) =>
  readRow(table, KEYS.tombstone(organizationId, of), tombstoneRows.read);

/** Makes the work on a tombstone due again at a time (ms). */
export const rescheduleTombstone = async (
  table: Table,
  { organizationId, id: of }: Pick<Tombstone, 'id' | 'organizationId'>,
  at: number,
  isCleared: boolean,
): Promise<void> => {
  const set = { ...dueAt(of, at), ...(isCleared ? tombstoneRows.set({ isCleared }) : {}) };
  await table.write({ update: KEYS.tombstone(organizationId, of), set, when: EXISTS });
};

/** How long a tombstone stands once nothing names its object any more, in ms: a reader that saw a link before still finds it. */
const STANDS_MS = 3_600_000;

/** Ends the work on a tombstone at `now` (ms), whose object nothing names any more. */
export const expireTombstone = async (
  table: Table,
  { organizationId, id: of }: Pick<Tombstone, 'id' | 'organizationId'>,
  now: number,
): Promise<void> => {
  await table.write({
    update: KEYS.tombstone(organizationId, of),
    set: { ttl: ttlAfter(now + STANDS_MS) },
    remove: ['duePk', 'dueAt'],
    when: EXISTS,
  });
};

const ATTRIBUTES = ['pk', 'sk', 'to'] as const;
const readTo = z.object({
  sk: z.custom<LinkedId>((value) => typeof value === 'string'),
  to: id('contact').optional(),
});
const entryOf = (row: Row): [LinkedId, Id<'contact'> | undefined] => {
  const { sk, to } = readTo.parse(row);
  return [sk, to];
};

/** Tombstones that are read at most, whatever ids are asked for. Where an organization has more, those of the ids are read by their keys. */
const MAX_READ = 800;
/** Tombstones that take about the read unit of one that is read by its key: the query costs no more than the keys would. */
const READ_FOR_A_KEY = 24;

const readByKeys = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly LinkedId[],
): Promise<[LinkedId, Id<'contact'> | undefined][]> => {
  if (ids.length === 0) return [];
  const keys = ids.map((of) => KEYS.tombstone(organizationId, of));
  const rows = await table.getMany(keys, { consistent: true, only: ATTRIBUTES });
  const entries = rows.flatMap((row) => (row ? [entryOf(row)] : []));
  const next = entries.flatMap(([, to]) => to ?? []);
  return [...entries, ...(await readByKeys(table, organizationId, next))];
};

/**
 * The tombstones that say what these ids name now; to be read after what names them. One strongly consistent query, usually of nothing, and none without ids.
 * Where an organization just deleted more objects than that reads (24 for each id, at most 800), also a read of the ids by their keys.
 */
export const readTombstones = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly LinkedId[],
): Promise<Tombstones> => {
  if (ids.length === 0) return NO_TOMBSTONES;
  const partition = KEYS.tombstone(organizationId, '').pk;
  const limit = Math.min(MAX_READ, ids.length * READ_FOR_A_KEY);
  const page = await table.query({ partition, consistent: true, limit, only: ATTRIBUTES });
  const all = new Map(page.rows.map(entryOf));
  return page.nextKey ? new Map(await readByKeys(table, organizationId, [...new Set(ids)])) : all;
};

/** Cards whose activities a list leaves out, at most: a condition has a limit. */
const MAX_GONE_CARDS = 100;

/** The cards of an organization that were just deleted, whose activities and files may still be there. One strongly consistent query, usually of nothing. */
export const readGoneCards = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<readonly Id<'card'>[]> => {
  const { rows } = await table.query({
    partition: KEYS.tombstone(organizationId, '').pk,
    sort: { text: 'begins_with(#sk, :card)', values: { card: `${ID_PREFIXES.card}_` } },
    filter: { text: 'attribute_not_exists(#isCleared) AND attribute_not_exists(#ttl)' },
    consistent: true,
    only: ['pk', 'sk'],
  });
  return rows.slice(0, MAX_GONE_CARDS).map(({ sk }) => parseId('card', sk));
};

/** Objects of an organization with the links in these fields as they are now, as `withLinksNow` says; at most one query of tombstones. */
export const readLinksNow = async <T extends object, F extends keyof T>(
  table: Table,
  organizationId: Id<'organization'>,
  objects: readonly T[],
  fields: readonly F[],
): Promise<readonly T[]> =>
  withLinksNow(await readTombstones(table, organizationId, linksOf(objects, fields)), objects, fields);
