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

/** That a contact may differ from what the audience's index says of it. */
export interface ChangedContact {
  readonly organizationId: Id<'organization'>;
  readonly contactId: Id<'contact'>;
  /** The contact's number, where the change knew it: a contact that is gone has no other. */
  readonly number?: number | undefined;
  /** Other than any before: a mark is taken away only if the contact was not changed again since it was read. */
  readonly token: string;
}
const changedContactRows = defineRow<ChangedContact>()({
  attributes: {
    organizationId: id('organization'),
    contactId: id('contact'),
    number: z.int().optional(),
    token: z.string(),
  },
  rename: { organizationId: 'org' },
  key: ({ organizationId, contactId }) => KEYS.changedContact(organizationId, contactId),
});

/**
 * One change in so many lets the index be brought up to date; about as many of a block's contacts are then written together. New contacts are all in the
 * newest block, so that more of them may wait.
 */
const MERGE_ONE_IN = { changed: 16, created: 64 };

/**
 * Marks a contact as changed; in the transaction of every change of a contact, so that no reader of the index overlooks it. What changed is read from the
 * contact itself: a mark of a change that never came does no harm.
 */
export const changedWrite = ({
  id: contactId,
  organizationId,
  number,
  updatedAt,
  version,
}: Pick<Contact, 'id' | 'organizationId' | 'updatedAt'> & Partial<Pick<Contact, 'number' | 'version'>>): WriteOp => {
  const random = randomBytes(9);
  const mark = changedContactRows.write({ organizationId, contactId, number, token: random.toString('base64url') });
  const due =
    (random[0] ?? 0) % (version === 1 ? MERGE_ONE_IN.created : MERGE_ONE_IN.changed) === 0
      ? INDEX_KEYS.due('index_contacts', contactId, updatedAt)
      : {};
  return { put: { ...mark, ...due } };
};

/** The marks of an organization. A query of each shard, side by side, consistent. */
export const readChanged = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<readonly ChangedContact[]> => {
  const shards = await Promise.all(
    changedPartitions(organizationId).map((partition) => table.queryAll({ partition, consistent: true })),
  );
  return shards.flat().map((row) => changedContactRows.read(row));
};

/** Takes a mark away, unless the contact was changed again since the mark was read. */
export const clearChanged = async (
  table: Table,
  { organizationId, contactId, token }: ChangedContact,
): Promise<void> => {
  await table.write({
    delete: KEYS.changedContact(organizationId, contactId),
    when: { text: '#token = :token', values: { token } },
  });
};
