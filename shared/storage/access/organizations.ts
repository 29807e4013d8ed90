import * as z from 'zod';
import type { Organization } from '../../domain/access/organizations.ts';
import type { AuditEntry } from '../../domain/audit/entry.ts';
import type { CursorItems } from '../../domain/core/cursor.ts';
import type { Refusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { PageRequest } from '../../domain/message/lists.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT, EXISTS } from '../client/conditions.ts';
import { type CursorRequest, cursorItems } from '../client/cursor-pages.ts';
import type { WriteOp } from '../client/expressions.ts';
import { newestPage } from '../client/pages.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { PARSE_KEY } from '../parse-key.ts';

const withoutCounts = ({
  contacts: _contacts,
  keys: _keys,
  accounts: _accounts,
  emailTemplates: _emailTemplates,
  flows: _flows,
  numbers: _numbers,
  senders: _senders,
  templates: _templates,
  ...row
}: Row): Row => row;

/** Organizations. The settings of their sends are attributes of the same row (organization-settings.ts). */
export const organizationRows = defineRow<Organization>()({
  attributes: {
    id: id('organization'),
    name: z.string(),
    smsPerSecond: z.int().min(1).exactOptional(),
    sendsPerMinute: z.int().min(1).exactOptional(),
    createdAt: time,
  },
  key: (organization) => KEYS.organization(organization.id),
  index: (organization) => INDEX_KEYS.organizations(isoTime(organization.createdAt), organization.id),
  version: 3,
  // Earlier versions counted its objects on this row: counters.ts reads such counts, and moves them when the row is rewritten.
  versions: { 1: withoutCounts, 2: withoutCounts },
});

/** An organization; undefined when it does not exist. */
export const readOrganization = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<Organization | undefined> => {
  const row = await table.get(KEYS.organization(organizationId));
  return row && organizationRows.read(row);
};

/** Organizations that this process has found in a table. They are never deleted. */
const seen = new WeakMap<Table, Set<Id<'organization'>>>();
const MAX_SEEN = 10_000;

/**
 * Whether an organization exists. One strongly consistent read, and none once this process has found it: checking it in the transactions of
 * its objects would make all of them contend for this row.
 */
export const organizationExists = async (table: Table, organizationId: Id<'organization'>): Promise<boolean> => {
  const known = seen.get(table) ?? new Set();
  seen.set(table, known);
  if (known.has(organizationId)) return true;
  const row = await table.get(KEYS.organization(organizationId), { only: ['pk'] });
  if (!row) return false;
  if (known.size >= MAX_SEEN) known.clear();
  known.add(organizationId);
  return true;
};

/** Renames an organization, with the audit entry; undefined if it does not exist. */
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

/** The write of a new organization. */
export const organizationWrite = (organization: Organization): WriteOp => ({
  put: organizationRows.write(organization),
  when: ABSENT,
});

/** Organizations of the stage, newest first. */
export const listOrganizations = async (table: Table, page: PageRequest): Promise<Organization[]> => {
  const rows = await newestPage(table, { index: 'gsi1', partition: INDEX_KEYS.organizations('', '').gsi1pk }, page);
  return rows.map(organizationRows.read);
};

/** A page of the organizations of the stage, newest first, by a cursor; 400 for one of another list. */
export const pageOfOrganizations = (
  table: Table,
  request: CursorRequest,
): Promise<CursorItems<Organization> | Refusal<'BAD_REQUEST'>> =>
  cursorItems(table, { index: 'gsi1', partition: INDEX_KEYS.organizations('', '').gsi1pk }, request, (rows) =>
    rows.map(organizationRows.read),
  );

/** Every organization of the stage. One query of an index, a page for each megabyte of its entries. */
export const organizationIds = async (table: Table): Promise<Id<'organization'>[]> => {
  const partition = INDEX_KEYS.organizations('', '').gsi1pk;
  const rows = await table.queryAll({ index: 'gsi1', partition, only: ['pk', 'sk'] });
  return rows.map(PARSE_KEY.organization);
};
