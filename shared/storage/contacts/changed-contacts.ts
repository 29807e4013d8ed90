import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { changedPartitions } from '../partitions.ts';
import type { ChangesDue } from './standing.ts';

/** Marks that a contact may differ from its state in the audience's index. */
export interface ChangedContact {
  readonly organizationId: Id<'organization'>;
  readonly contactId: Id<'contact'>;
  /** The contact's number, if the change knew it: it can't be looked up for a deleted contact. */
  readonly number?: number | undefined;
  /** Unique: a mark is removed only if the contact was not changed again since it was read. */
  readonly token: string;
  /** Present while the change must still be evaluated for the segments. */
  readonly duePk?: string | undefined;
  /** Whether a reader requested a merge of all blocks with marks, however few there are. */
  readonly mergeRequested?: boolean | undefined;
}
const changedContactRows = defineRow<ChangedContact>()({
  attributes: {
    organizationId: id('organization'),
    contactId: id('contact'),
    number: z.int().optional(),
    token: z.string(),
    duePk: z.string().optional(),
    mergeRequested: z.boolean().optional(),
  },
  key: ({ organizationId, contactId }) => KEYS.changedContact(organizationId, contactId),
});

/**
 * One change in this many triggers a merge of the index; about as many of a block's contacts are then written together. New contacts are
 * all in the newest block, so more of them can accumulate.
 */
const MERGE_ONE_IN = { changed: 16, created: 64 };

interface ChangedFields extends Pick<Contact, 'id' | 'organizationId' | 'updatedAt'> {
  readonly number?: number | undefined;
  readonly version?: number | undefined;
}

/**
 * Marks a contact as changed, in the transaction of every change, so that no reader of the index misses it. The contact itself shows what
 * changed: a mark without a change is harmless.
 */
export const changedWrite = (
  { id: contactId, organizationId, number, updatedAt, version }: ChangedFields,
  changes: ChangesDue,
): WriteOp => {
  const random = randomBytes(9);
  const mark = changedContactRows.write({ organizationId, contactId, number, token: random.toString('base64url') });
  const isSample = (random[0] ?? 0) % (version === 1 ? MERGE_ONE_IN.created : MERGE_ONE_IN.changed) === 0;
  const due = changes === 'all' || isSample ? INDEX_KEYS.due('index_contacts', contactId, updatedAt) : {};
  return { put: { ...mark, ...due } };
};

/** The marks of an organization. A query of each shard, in parallel, consistent. */
export const readChanged = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<readonly ChangedContact[]> => {
  const shards = await Promise.all(
    changedPartitions(organizationId).map((partition) => table.queryAll({ partition, consistent: true })),
  );
  return shards.flat().map((row) => changedContactRows.read(row));
};

const isAsRead = ({ token }: ChangedContact) => ({ text: '#token = :token', values: { token } });

/** Removes a mark, unless the contact was changed again since the mark was read, or another worker removed it; false then. */
export const clearChanged = async (table: Table, mark: ChangedContact): Promise<boolean> => {
  const { organizationId, contactId } = mark;
  return (await table.write({ delete: KEYS.changedContact(organizationId, contactId), when: isAsRead(mark) })).ok;
};

/** Marks a contact again, due at `now` (ms). */
export const markAgain = async (table: Table, { organizationId, contactId, number }: ChangedContact, now: number) => {
  await table.write(changedWrite({ id: contactId, organizationId, number, updatedAt: now }, 'all'));
};

/** Requests a merge of the index with all changes, through one of their marks, unless that one is gone. A due one keeps its due time. */
export const requestMerge = async (table: Table, mark: ChangedContact, now: number): Promise<void> => {
  const { organizationId, contactId } = mark;
  await table.write({
    update: KEYS.changedContact(organizationId, contactId),
    set: { mergeRequested: true },
    setOnce: INDEX_KEYS.due('index_contacts', contactId, now),
    when: isAsRead(mark),
  });
};

/** Unschedules a mark, which then waits for a merge, unless the contact was changed again since the mark was read. */
export const unscheduleChanged = async (table: Table, mark: ChangedContact): Promise<void> => {
  const { organizationId, contactId } = mark;
  const remove = ['duePk', 'dueAt', 'mergeRequested'];
  await table.write({ update: KEYS.changedContact(organizationId, contactId), remove, when: isAsRead(mark) });
};
