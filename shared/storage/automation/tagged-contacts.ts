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

/** That tags were put on a contact that let it into journeys; due at once, until it was told. */
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

/** Of a trigger: the tag that it asks for. */
const triggerRow = z.object({ nome: z.string() });

/** A contact before a change, where there was one, and after it. */
export interface Tagging {
  readonly before?: Pick<Contact, 'tags'> | undefined;
  readonly after: Contact;
}
const addedTags = ({ before, after }: Tagging): readonly string[] =>
  after.tags.filter((tag) => !before?.tags.includes(tag));

/** Tells journeys of a change that puts tags on a contact; no write where it puts none that a journey asks for. */
export type TagWrites = (tagging: Tagging) => WriteOp[];
const NONE: TagWrites = () => [];

/**
 * What tells journeys of tags, in the transactions of some changes of an organization's contacts. Nothing is read where none of them puts a tag on; else
 * whether the organization uses journeys, and then which tags they ask for: a consistent query, so that no tag is missed that is put on after an activation.
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
  const asked = new Set(rows.map((row) => triggerRow.parse(row).nome));
  if (asked.size === 0) return NONE;
  return (tagging) => {
    const tags = addedTags(tagging).filter((tag) => asked.has(tag));
    if (tags.length === 0) return [];
    const { organizationId: org, env, id: contactId, version, updatedAt: at } = tagging.after;
    return [{ put: taggedRows.write({ organizationId: org, env, contactId, version, tags, at }) }];
  };
};

/** The work items that tell of tags early, by the writes that a transaction had. */
export const tagWorkItems = (writes: readonly WriteOp[], owner: Id<'organization'>): Publishable[] =>
  writes.flatMap((write) =>
    'put' in write && isTaggedContact(write.put)
      ? [{ kind: 'journey_signal' as const, pk: write.put.pk, sk: write.put.sk, owner }]
      : [],
  );
