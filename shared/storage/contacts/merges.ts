import { type Contact, phoneHashesOf } from '../../domain/contacts/contact.ts';
import type { SentCounts } from '../../domain/contacts/frequency.ts';
import { NEVER_SENT } from '../../domain/contacts/frequency.ts';
import type { MergeChange, MergeStore } from '../../domain/contacts/merge.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countWrite } from '../access/counters.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { tagWritesFor } from '../automation/tagged-contacts.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { contactTombstone, expireTombstone } from '../crm/tombstones.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readRow } from '../read-row.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { changedWrite } from './changed-contacts.ts';
import { mergeConsentWrites } from './consent-history.ts';
import { companyWrites, countAddress, denied, releaseAddress, releaseExternalId, unchanged } from './contact-writes.ts';
import { contactRow, contactRows, phoneConsentWrite } from './contacts.ts';
import { heirOf, mergeRows } from './heirs.ts';
import { recipientRows } from './recipient-opt-outs.ts';
import { readSentCounts, uniteSentWrites } from './sent-counts.ts';
import { type ChangesDue, changesDue } from './standing.ts';

const dueAt = (contactId: Id<'contact'>, at: number) => INDEX_KEYS.due('erase_contact', contactId, at);

const isOf = ({ id: contactId }: Contact) => ({ text: '#contactId = :id', values: { id: contactId } });

/** The duplicate's phones now find the contact, and all its phones have its consent. */
const phoneWrites = ({ target, duplicate, merged }: MergeChange): WriteOp[] => {
  const { id: contactId, number: contactNumber, organizationId, optIn } = merged;
  const set = recipientRows.set({ contactId, contactNumber, optInStatus: optIn.status });
  const stay = target.optIn.status === optIn.status ? [] : phoneHashesOf(target);
  return [
    ...phoneHashesOf(duplicate).map((hash) => ({
      update: KEYS.phone(organizationId, hash),
      set,
      when: isOf(duplicate),
    })),
    ...stay.map((hash) => phoneConsentWrite(merged, hash)),
  ];
};

/** The duplicate's external id becomes the contact's if that has none, else it is released. */
const externalIdWrites = ({ target, duplicate, merged }: MergeChange): WriteOp[] => {
  const { organizationId, externalId } = duplicate;
  if (externalId === undefined || target.externalId !== undefined) return releaseExternalId(duplicate);
  const set = { contactId: merged.id, number: merged.number };
  return [{ update: KEYS.externalId(organizationId, externalId), set, when: isOf(duplicate) }];
};

/** Updates the opted-out counts of both addresses, which may be the same. */
const addressWrites = ({ target, duplicate, merged }: MergeChange): WriteOp[] => {
  const before = target.emailHash === merged.emailHash ? denied(target) : 0;
  if (duplicate.emailHash !== merged.emailHash)
    return [...releaseAddress(duplicate), ...countAddress(merged, denied(merged) - before)];
  return countAddress(merged, denied(merged) - before - denied(duplicate));
};

/** The tombstone that resolves links to the duplicate to the contact. */
const tombstone = ({ duplicate, merged }: MergeChange): readonly WriteOp[] => {
  const { id, organizationId, crmLinks = 0 } = duplicate;
  return crmLinks === 0 ? [] : [contactTombstone({ id, organizationId, to: merged.id, at: merged.updatedAt })];
};

/** The writes that merge two contacts; with 20 merged ones about 60. The first two check that both are unchanged since they were read. */
const mergeWrites = (change: MergeChange, changes: ChangesDue, sent: SentCounts): WriteOp[] => {
  const { target, duplicate, merged } = change;
  const { id: contactId, organizationId, number } = duplicate;
  return [
    { put: contactRow(merged), when: unchanged(target) },
    { delete: KEYS.contact(contactId), when: unchanged(duplicate) },
    ...phoneWrites(change),
    ...externalIdWrites(change),
    ...addressWrites(change),
    ...mergeConsentWrites(target, merged),
    { delete: KEYS.numberedContact(organizationId, number) },
    countWrite(organizationId, 'contacts', contactId, -1),
    changedWrite(merged, changes),
    changedWrite({ ...duplicate, updatedAt: merged.updatedAt }, changes),
    ...uniteSentWrites(contactId, sent, merged.id),
    ...tombstone(change),
  ];
};

const readMerged = contactRows.pick('mergedContacts');

/** The existing ones of some contacts of an organization, each with the contacts merged into it. Consistent; one round trip per 100. */
export const mergedInto = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'contact'>[],
): Promise<ReadonlyMap<Id<'contact'>, readonly Id<'contact'>[]>> => {
  const rows = await table.getMany(ids.map(KEYS.contact), {
    consistent: true,
    only: ['pk', 'sk', 'org', 'mergedContacts'],
  });
  return new Map(
    ids.flatMap((contactId, at) => {
      const row = rows[at];
      if (row?.org !== organizationId) return [];
      return [[contactId, (readMerged(row).mergedContacts ?? []).map((merged) => merged.id)] as const];
    }),
  );
};

/** Merges in the table of one stage. `raised` receives committed events for early publication; best effort. */
export const mergeStore = (table: Table, raised: (events: readonly DomainEvent[]) => void): MergeStore => ({
  async merge(change, merge, entry, raises) {
    const { target, duplicate, merged } = change;
    const events = await takenEvents(table, merged.organizationId, raises);
    const company = companyWrites({ before: target, after: merged }, { before: duplicate });
    const changes = await changesDue(table, merged.organizationId);
    const [sent = NEVER_SENT] = await readSentCounts(table, [duplicate.id]);
    const writes = mergeWrites(change, changes, sent);
    const tagging = { before: target, after: merged };
    const tags = (await tagWritesFor(table, merged.organizationId, [tagging]))(tagging);
    const outcome = await table.transact([
      ...writes,
      ...company.map(({ write }) => write),
      { put: { ...mergeRows.write(merge), ...dueAt(merge.contactId, merge.at) } },
      ...tags,
      ...events.map(eventWrite),
      ...auditWrites(entry),
    ]);
    if (outcome.ok) {
      raised(events);
      return 'merged';
    }
    const failed = outcome.reasons.findIndex(({ conditionFailed }) => conditionFailed) - writes.length;
    return company[failed]?.part === 'company' ? 'unknown_company' : 'stale';
  },
  read: (contactId) => readRow(table, KEYS.merge(contactId), mergeRows.read),
  heirOf: (contactId) => heirOf(table, contactId),
  async reschedule({ contactId }, at) {
    await table.write({ update: KEYS.merge(contactId), set: dueAt(contactId, at), when: EXISTS });
  },
  forgetDuplicate: ({ contactId, organizationId }, now) =>
    expireTombstone(table, { id: contactId, organizationId }, now),
  async finish({ contactId }) {
    await table.write({ update: KEYS.merge(contactId), remove: ['duePk', 'dueAt'], when: EXISTS });
  },
});
