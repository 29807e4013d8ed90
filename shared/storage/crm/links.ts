import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { COMPANY_SHARDS, shardOf } from '../table-indexes.ts';

const isOf = (organizationId: Id<'organization'>): Condition => ({
  text: '#org = :org',
  values: { org: organizationId },
});

/**
 * The write that every link to a contact has in its transaction; its condition is that the contact exists and is the organization's. A contact that was ever
 * linked to (`crmLinks`) leaves a tombstone when it is deleted: the new version has a deletion that read it before read it again. Links that end are not
 * subtracted.
 */
export const linkWrite = (organizationId: Id<'organization'>, contactId: Id<'contact'>): WriteOp => ({
  update: KEYS.contact(contactId),
  add: { crmLinks: 1, version: 1 },
  when: isOf(organizationId),
});

/** Condition of a link to a card: it exists and is the organization's. */
export const checkCardLink = (organizationId: Id<'organization'>, cardId: Id<'card'>): WriteOp => ({
  check: KEYS.card(cardId),
  when: isOf(organizationId),
});

/**
 * Condition of a link to a company that it doesn't count: it exists and is the organization's. On the row of the company's counts that the id of what names it
 * (`by`) chooses, so that links don't meet on one row.
 */
export const checkCompanyLink = (
  organizationId: Id<'organization'>,
  companyId: Id<'company'>,
  by: string,
): WriteOp => ({
  check: KEYS.companyCounts(companyId, shardOf(by, COMPANY_SHARDS)),
  when: isOf(organizationId),
});
