import * as z from 'zod';
import { ACCOUNT_STATUSES, type Account, type AccountStatus } from '../../domain/access/accounts.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { PageRequest } from '../../domain/message/lists.ts';
import { INDEX_KEYS, KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { newestPage } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { readOrganization } from './organizations.ts';

const accountRows = defineRow<Account>()({
  attributes: {
    id: id('account'),
    organizationId: id('organization'),
    name: z.string(),
    email: z.string(),
    status: z.enum(ACCOUNT_STATUSES),
    createdAt: time,
  },
  rename: { organizationId: 'org' },
  key: (account) => KEYS.account(account.id),
  index: (account) => INDEX_KEYS.accountsOf(account.organizationId, isoTime(account.createdAt), account.id),
});

/** An account by its id, strongly consistent; undefined when there is none. The caller checks the organization. */
export const readAccount = async (table: Table, accountId: Id<'account'>): Promise<Account | undefined> => {
  const row = await table.get(KEYS.account(accountId));
  return row && accountRows.read(row);
};

/** Stores a new account. False when the organization does not exist. */
export const putAccount = async (table: Table, account: Account): Promise<boolean> => {
  const outcome = await table.transact([
    { put: accountRows.write(account), when: { text: 'attribute_not_exists(#pk)' } },
    {
      update: KEYS.organization(account.organizationId),
      add: { accounts: 1 },
      when: { text: 'attribute_exists(#pk)' },
    },
  ]);
  return outcome.ok || outcome.reasons[0]?.row?.org === account.organizationId;
};

/** Sets an account's status. A suspended account's sessions are refused from then on. False when there is no such account. */
export const setAccountStatus = async (
  table: Table,
  accountId: Id<'account'>,
  status: AccountStatus,
): Promise<boolean> => {
  const written = await table.write({
    update: KEYS.account(accountId),
    set: accountRows.set({ status }),
    when: { text: 'attribute_exists(#pk)' },
  });
  return written.ok;
};

/** An organization's accounts, newest first. */
export const listAccounts = async (
  table: Table,
  organizationId: Id<'organization'>,
  page: PageRequest,
): Promise<{ items: Account[]; total: number }> => {
  const [rows, organization] = await Promise.all([
    newestPage(table, { index: 'gsi1', partition: INDEX_KEYS.accountsOf(organizationId, '', '').gsi1pk }, page),
    readOrganization(table, organizationId),
  ]);
  return { items: rows.map(accountRows.read), total: organization?.accounts ?? 0 };
};
