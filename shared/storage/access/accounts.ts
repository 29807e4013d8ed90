import * as z from 'zod';
import {
  ACCOUNT_STATUSES,
  type Account,
  type AccountOutcome,
  type AccountStore,
  isActiveOwner,
  MAX_ACCOUNTS,
} from '../../domain/access/accounts.ts';
import { ACCOUNT_ROLES } from '../../domain/access/roles.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { PageRequest } from '../../domain/message/lists.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { atVersion, commit } from '../client/optimistic-commit.ts';
import { newestPage } from '../client/pages.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { readCount } from './counters.ts';
import { countDown, createWithin } from './limits.ts';
import { linkRequestWrite } from './sign-in-links.ts';

/** Account rows. The defaults are for rows from before roles existed, when every account had every scope. */
const accountRows = defineRow<Account>()({
  attributes: {
    id: id('account'),
    organizationId: id('organization'),
    name: z.string(),
    email: z.string(),
    emailHash: z.string().default(''),
    role: z.enum(ACCOUNT_ROLES).default('owner'),
    status: z.enum(ACCOUNT_STATUSES),
    sessionEpoch: z.int().default(0),
    acceptedAt: time.exactOptional(),
    createdAt: time,
    version: z.int().default(0),
  },
  key: (account) => KEYS.account(account.id),
  index: (account) => INDEX_KEYS.accountsOf(account.organizationId, isoTime(account.createdAt), account.id),
});
export const accountRow = (account: Account) => accountRows.write(account);

/** An account by its id, strongly consistent; undefined when there is none. The caller checks the organization. */
export const readAccount = async (table: Table, accountId: Id<'account'>): Promise<Account | undefined> => {
  const row = await table.get(KEYS.account(accountId));
  return row && accountRows.read(row);
};

/** Which of these are active accounts of an organization. Strongly consistent; a round trip for each 100. */
export const activeAccounts = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'account'>[],
): Promise<ReadonlySet<Id<'account'>>> => {
  const rows = await table.getMany(ids.map(KEYS.account), { consistent: true });
  const accounts = rows.flatMap((row) => (row?.org === organizationId ? [accountRows.read(row)] : []));
  return new Set(accounts.filter(({ status }) => status === 'active').map((account) => account.id));
};

/** The row that makes an address unique in an organization, and finds the account by it. */
const personRows = defineRow<Pick<Account, 'id' | 'organizationId'>>()({
  attributes: { id: id('account'), organizationId: id('organization') },
  key: ({ organizationId }, emailHash: string) => KEYS.person(emailHash, organizationId),
});

/** The accounts of an address in all organizations of the stage, at most 100. One query, one read. */
export const accountsOfAddress = async (
  table: Table,
  emailHash: string,
  organizationId?: Id<'organization'>,
): Promise<Account[]> => {
  const { pk: partition, sk } = KEYS.person(emailHash, organizationId ?? '');
  const sort = { text: 'begins_with(#sk, :sk)', values: { sk } };
  const { rows } = await table.query({ partition, sort, consistent: true, limit: 100 });
  const keys = rows.map((row) => KEYS.account(personRows.read(row).id));
  const found = keys.length === 0 ? [] : await table.getMany(keys, { consistent: true });
  return found.flatMap((row) => (row ? [accountRows.read(row)] : []));
};

/** Condition: the account is active, and was not suspended since it was read. */
export const stillActive = ({ id: accountId, sessionEpoch }: Account): WriteOp => ({
  check: KEYS.account(accountId),
  when: {
    text: '#status = :active AND (attribute_not_exists(#sessionEpoch) OR #sessionEpoch = :epoch)',
    values: { active: 'active', epoch: sessionEpoch },
  },
});

/** Updates the organization's count of active owners for a change of an account. Only the operator may remove the last one. */
export const ownerWrites = (before: Account | undefined, after: Account | undefined, keepsOne: boolean): WriteOp[] => {
  const [was, is] = [before && isActiveOwner(before), after && isActiveOwner(after)].map(Boolean);
  const account = before ?? after;
  if (!account || was === is) return [];
  return [
    {
      update: KEYS.organization(account.organizationId),
      add: { activeOwners: is ? 1 : -1 },
      when: keepsOne && was ? { text: '#activeOwners > :one', values: { one: 1 } } : { text: 'attribute_exists(#pk)' },
    },
  ];
};

/** Condition: the calling account is unchanged since it was read. None for a key, or if the account changes itself. */
const callerWrites = (by: Account | undefined, target?: Account): WriteOp[] =>
  by && by.id !== target?.id ? [{ check: KEYS.account(by.id), when: atVersion(by.version) }] : [];

type Named = readonly (readonly [refusal: Exclude<AccountOutcome, 'saved'>, writes: readonly WriteOp[]])[];
const writesOf = (named: Named): WriteOp[] => named.flatMap(([, writes]) => writes);
const refusalAt = (named: Named, at: number): Exclude<AccountOutcome, 'saved'> =>
  named.flatMap(([refusal, writes]) => writes.map(() => refusal))[at] ?? 'conflict';

const personWrite = (account: Account): WriteOp[] =>
  account.emailHash === '' ? [] : [{ put: personRows.write(account, account.emailHash), when: ABSENT }];
const noPersonWrite = ({ emailHash, organizationId }: Account): WriteOp[] =>
  emailHash === '' ? [] : [{ delete: KEYS.person(emailHash, organizationId) }];

/** The accounts of a stage. `byOperator`: an organization may lose its last owner. */
export const accountStore = (table: Table, { byOperator = false } = {}): AccountStore => ({
  read: (accountId) => readAccount(table, accountId),

  async create(account, by, linkRequest, entry) {
    const save = async (count: WriteOp): Promise<AccountOutcome> => {
      const named: Named = [
        ['email_taken', personWrite(account)],
        ['limit_reached', [count]],
        ['caller_changed', callerWrites(by)],
        ['conflict', ownerWrites(undefined, account, false)],
        ['conflict', linkRequest ? [linkRequestWrite(linkRequest)] : []],
        ['conflict', auditWrites(entry)],
      ];
      const outcome = await commit(table, { row: accountRow(account), also: writesOf(named) });
      return outcome.kind === 'refused' ? refusalAt(named, outcome.at) : outcome.kind;
    };
    const limit = { organizationId: account.organizationId, counted: 'accounts', max: MAX_ACCOUNTS } as const;
    return createWithin(table, limit, account.id, save, (outcome) => outcome === 'limit_reached');
  },

  async change(before, after, by, entry) {
    const named: Named = [
      ['last_owner', ownerWrites(before, after, !byOperator)],
      ['caller_changed', callerWrites(by, before)],
      ['conflict', auditWrites(entry)],
    ];
    const outcome = await commit(table, { row: accountRow(after), over: before.version, also: writesOf(named) });
    return outcome.kind === 'refused' ? refusalAt(named, outcome.at) : outcome.kind;
  },

  async remove(account, by, entry) {
    const named: Named = [
      ['conflict', [{ delete: KEYS.account(account.id), when: atVersion(account.version) }]],
      ['last_owner', ownerWrites(account, undefined, !byOperator)],
      ['conflict', [countDown(account.organizationId, 'accounts', account.id)]],
      ['caller_changed', callerWrites(by, account)],
      ['conflict', noPersonWrite(account)],
      ['conflict', auditWrites(entry)],
    ];
    const outcome = await table.transact(writesOf(named));
    return outcome.ok
      ? 'saved'
      : refusalAt(
          named,
          outcome.reasons.findIndex(({ conditionFailed }) => conditionFailed),
        );
  },
});

/** An organization's accounts, newest first. */
export const listAccounts = async (
  table: Table,
  organizationId: Id<'organization'>,
  page: PageRequest,
): Promise<{ items: Account[]; total: number }> => {
  const [rows, total] = await Promise.all([
    newestPage(table, { index: 'gsi1', partition: INDEX_KEYS.accountsOf(organizationId, '', '').gsi1pk }, page),
    readCount(table, organizationId, 'accounts'),
  ]);
  return { items: rows.map(accountRows.read), total };
};
