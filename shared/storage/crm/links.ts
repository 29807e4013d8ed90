import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { COMPANY_SHARDS, shardOf } from '../table-indexes.ts';

const isOf = (organizationId: Id<'organization'>): Condition => ({
  text: '#org = :org',
  values: { org: organizationId },
});

/**
 * The write that every new link to a contact adds to its transaction. Condition: the contact exists and belongs to the organization. A
 * contact that was ever linked to (`crmLinks`) leaves a tombstone when it is deleted; the incremented version makes a concurrent deletion
 * read it again. Removed links are not subtracted.
 */
export const linkWrite = (organizationId: Id<'organization'>, contactId: Id<'contact'>): WriteOp => ({
  update: KEYS.contact(contactId),
  add: { crmLinks: 1, version: 1 },
  when: isOf(organizationId),
});

/** Condition of a link to a card: it exists and belongs to the organization. */
export const checkCardLink = (organizationId: Id<'organization'>, cardId: Id<'card'>): WriteOp => ({
  check: KEYS.card(cardId),
  when: isOf(organizationId),
});

/**
 * Condition of a link to a company without counters: it exists and belongs to the organization. Checked on the counter shard of the linking
 * object's id (`by`), so that links don't contend for one row.
 */
export const checkCompanyLink = (
  organizationId: Id<'organization'>,
  companyId: Id<'company'>,
  by: string,
): WriteOp => ({
  check: KEYS.companyCounts(companyId, shardOf(by, COMPANY_SHARDS)),
  when: isOf(organizationId),
});
