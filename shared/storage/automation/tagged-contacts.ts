import * as z from 'zod';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { TaggedContact } from '../../domain/journeys/signals.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { isTaggedContact } from '../parse-key.ts';
import { usesJourneys } from './journey-use.ts';

/** Tags added to a contact that trigger journeys; due immediately, until processed. */
export const taggedRows = defineRow<TaggedContact>()({
  attributes: {
    ...tenant,
    contactId: id('contact'),
    version: z.int(),
    tags: z.array(z.string()),
    at: time,
  },
  key: ({ contactId, version }) => KEYS.taggedContact(contactId, version),
  index: ({ contactId, at }) => INDEX_KEYS.due('journey_signal', contactId, at),
});

/** The tag of a trigger. */
const triggerRow = z.object({ nome: z.string() });

/** A contact before a change, where there was one, and after it. */
export interface Tagging {
  readonly before?: Pick<Contact, 'tags'> | undefined;
  readonly after: Contact;
}
const addedTags = ({ before, after }: Tagging): readonly string[] =>
  after.tags.filter((tag) => !before?.tags.includes(tag));

/** Notifies journeys of a change that adds tags to a contact; no write if no journey uses them. */
export type TagWrites = (tagging: Tagging) => WriteOp[];
const NONE: TagWrites = () => [];

/**
 * Creates the notifications of tags for transactions that change an organization's contacts. Reads nothing if no tag is added; otherwise
 * whether the organization uses journeys, and then which tags they use: a consistent query, so that no tag added after an activation is
 * missed.
 */
export const tagWritesFor = async (
  table: Table,
  organizationId: Id<'organization'>,
  taggings: readonly Tagging[],
): Promise<TagWrites> => {
  if (!taggings.some((tagging) => addedTags(tagging).length > 0)) return NONE;
  if (!(await usesJourneys(table, organizationId))) return NONE;
  const { pk: partition, sk } = KEYS.journeyTrigger(organizationId, 'etiqueta', '', '');
  const sort = { text: 'begins_with(#sk, :prefix)', values: { prefix: sk.slice(0, sk.indexOf('#') + 1) } };
  const rows = await table.queryAll({ partition, sort, consistent: true });
  const tagNames = new Set(rows.map((row) => triggerRow.parse(row).nome));
  if (tagNames.size === 0) return NONE;
  return (tagging) => {
    const tags = addedTags(tagging).filter((tag) => tagNames.has(tag));
    if (tags.length === 0) return [];
    const { organizationId: org, env, id: contactId, version, updatedAt: at } = tagging.after;
    return [{ put: taggedRows.write({ organizationId: org, env, contactId, version, tags, at }) }];
  };
};

/** The work items that deliver them early, from a transaction's writes. */
export const tagWorkItems = (writes: readonly WriteOp[], owner: Id<'organization'>): Publishable[] =>
  writes.flatMap((write) =>
    'put' in write && isTaggedContact(write.put)
      ? [{ kind: 'journey_signal' as const, pk: write.put.pk, sk: write.put.sk, owner }]
      : [],
  );
