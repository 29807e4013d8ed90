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

/** The tombstone of a deleted object that may still be linked to. */
export interface Tombstone {
  readonly organizationId: Id<'organization'>;
  readonly id: LinkedId;
  /** The contact that it was merged into. */
  readonly to?: Id<'contact'> | undefined;
  /** When the object was deleted, in ms. */
  readonly at: number;
  /** True if a pass over all links left none: only links that an index did not show then may remain. */
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
 * Marks a contact as deleted, or merged into `to`, in the transaction that deletes it, if anything was ever linked to it (`crmLinks`). The
 * work that clears its links ends with `expireTombstone`.
 */
export const contactTombstone = (tombstone: Tombstone & { readonly id: Id<'contact'> }): WriteOp => ({
  put: tombstoneRows.write(tombstone),
});

/** Marks a company or a card as deleted, in the transaction that deletes it; due immediately, so that its links are cleared. */
export const tombstoneWrite = (tombstone: Tombstone & { readonly id: Id<'card'> | Id<'company'> }): WriteOp => ({
  put: { ...tombstoneRows.write(tombstone), ...dueAt(tombstone.id, tombstone.at) },
});

export const readTombstone = (table: Table, organizationId: Id<'organization'>, of: LinkedId) =>
  readRow(table, KEYS.tombstone(organizationId, of), tombstoneRows.read);

/** Schedules the work on a tombstone again for a time (ms). */
export const rescheduleTombstone = async (
  table: Table,
  { organizationId, id: of }: Pick<Tombstone, 'id' | 'organizationId'>,
  at: number,
  isCleared: boolean,
): Promise<void> => {
  const set = { ...dueAt(of, at), ...(isCleared ? tombstoneRows.set({ isCleared }) : {}) };
  await table.write({ update: KEYS.tombstone(organizationId, of), set, when: EXISTS });
};

/** How long a tombstone is kept once no links to its object are left, in ms: a reader that saw a link before still finds it. */
const STANDS_MS = 3_600_000;

/** Ends the work on a tombstone at `now` (ms), when no links to its object are left. */
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

/** Maximum tombstones read by the query. If an organization has more, those of the ids are read by key. */
const MAX_READ = 800;
/** Tombstones that cost about as much as reading one by key, so that the query costs no more than the reads would. */
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
 * The tombstones of these ids, to resolve links; must be read after the linking objects. One strongly consistent query, usually empty, and
 * none without ids. If an organization recently deleted more objects than that reads (24 per id, at most 800), also a read of the ids by
 * key.
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

/** Maximum cards whose activities a list excludes: a condition has a limit. */
const MAX_GONE_CARDS = 100;

/**
 * The recently deleted cards of an organization, whose activities and files may still exist. One strongly consistent query, usually empty.
 */
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

/** Objects of an organization with the links in these fields resolved, as by `withLinksNow`; at most one query of tombstones. */
export const readLinksNow = async <T extends object, F extends keyof T>(
  table: Table,
  organizationId: Id<'organization'>,
  objects: readonly T[],
  fields: readonly F[],
): Promise<readonly T[]> =>
  withLinksNow(await readTombstones(table, organizationId, linksOf(objects, fields)), objects, fields);
