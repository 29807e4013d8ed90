import * as z from 'zod';
import type { Organization } from '../../domain/access/organizations.ts';
import type { AuditEntry } from '../../domain/audit/entry.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { PageRequest } from '../../domain/message/lists.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT, EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { newestPage } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** An organization, and how many keys and accounts it ever had: the totals of their lists. */
interface CountedOrganization extends Organization {
  readonly keys: number;
  readonly accounts: number;
}

/** Organizations. The settings of their sends are attributes of the same row (organization-settings.ts). */
const organizationRows = defineRow<CountedOrganization>()({
  attributes: {
    id: id('organization'),
    name: z.string(),
    smsPerSecond: z.int().min(1).exactOptional(),
    sendsPerMinute: z.int().min(1).exactOptional(),
    createdAt: time,
    keys: z.int().default(0),
    accounts: z.int().default(0),
  },
  key: (organization) => KEYS.organization(organization.id),
  index: (organization) => INDEX_KEYS.organizations(isoTime(organization.createdAt), organization.id),
});

/** An organization with the totals of its lists; undefined when it does not exist. */
export const readOrganization = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<CountedOrganization | undefined> => {
  const row = await table.get(KEYS.organization(organizationId));
  return row && organizationRows.read(row);
};

/** Gives an organization another name, with the entry of who did; undefined when it does not exist. */
export const renameOrganization = async (
  table: Table,
  organizationId: Id<'organization'>,
  name: string,
  entry: AuditEntry,
): Promise<Organization | undefined> => {
  const { ok } = await table.transact([
    { update: KEYS.organization(organizationId), set: organizationRows.set({ name }), when: EXISTS },
    ...auditWrites(entry),
  ]);
  return ok ? readOrganization(table, organizationId) : undefined;
};

/** The write of a new organization, with the number of keys that are written with it. */
export const organizationWrite = (organization: Organization, keys = 0): WriteOp => ({
  put: organizationRows.write({ ...organization, keys, accounts: 0 }),
  when: ABSENT,
});

/** Organizations of the stage, newest first. */
export const listOrganizations = async (table: Table, page: PageRequest): Promise<Organization[]> => {
  const rows = await newestPage(table, { index: 'gsi1', partition: INDEX_KEYS.organizations('', '').gsi1pk }, page);
  return rows.map((row) => {
    const { keys: _keys, accounts: _accounts, ...organization } = organizationRows.read(row);
    return organization;
  });
};

/** Increments a counter of an organization up to `max`. Fails when it is at `max` already, or the organization does not exist. */
export const countWithin = (organizationId: Id<'organization'>, counter: string, max: number): WriteOp => ({
  update: KEYS.organization(organizationId),
  add: { [counter]: 1 },
  when: {
    text: `attribute_exists(#pk) AND (attribute_not_exists(#${counter}) OR #${counter} < :max)`,
    values: { max },
  },
});

/** Decrements a counter of an organization. */
export const countDown = (organizationId: Id<'organization'>, counter: string): WriteOp => ({
  update: KEYS.organization(organizationId),
  add: { [counter]: -1 },
  when: EXISTS,
});
