import * as z from 'zod';
import { asId } from '../../domain/core/ids.ts';
import { DLR_FORMATS, SMPP_ROUTES, type SmppAccount, type SmppAccountStore } from '../../domain/smpp/account.ts';
import { countDown, createWithin } from '../access/limits.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { atVersion, commit } from '../client/optimistic-commit.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { readRow } from '../read-row.ts';

/** Accounts of an organization in a stage: one query reads them all. */
const MAX_ACCOUNTS = 100;

const accountRows = defineRow<SmppAccount>()({
  attributes: {
    id: id('smppAccount'),
    organizationId: id('organization'),
    name: z.string(),
    systemId: z.string(),
    passwordHash: z.string(),
    route: z.enum(SMPP_ROUTES),
    senderId: z.string().optional(),
    allowedIps: z.array(z.string()).optional(),
    maxBinds: z.int(),
    window: z.int(),
    dlrFormat: z.enum(DLR_FORMATS),
    createdBy: z.union([id('account'), id('apiKey')]).optional(),
    passwordChangedAt: time,
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  },
  key: ({ organizationId, id: accountId }) => KEYS.smppAccount(organizationId, accountId),
});

/** The owner of a system_id. */
const systemIdRow = z.object({ org: z.string(), account: z.string() });

/** The SMPP accounts of a stage. */
export const smppAccountStore = (table: Table): SmppAccountStore => ({
  create(account, entry) {
    const { organizationId, systemId } = account;
    const named = {
      put: { ...KEYS.smppSystemId(systemId), org: organizationId, account: account.id },
      when: ABSENT,
    };
    const limit = { organizationId, counted: 'smppAccounts', max: MAX_ACCOUNTS } as const;
    return createWithin(
      table,
      limit,
      account.id,
      async (count) => {
        const also = [count, named, ...auditWrites(entry)];
        const outcome = await commit(table, { row: accountRows.write(account), also });
        if (outcome.kind !== 'refused') return outcome.kind === 'saved' ? 'saved' : 'taken';
        return outcome.at === 0 ? 'limit_reached' : 'taken';
      },
      (outcome) => outcome === 'limit_reached',
    );
  },
  read: (organizationId, accountId) => readRow(table, KEYS.smppAccount(organizationId, accountId), accountRows.read),
  async list(organizationId) {
    const rows = await table.queryAll({ partition: KEYS.smppAccount(organizationId, '').pk, consistent: true });
    return rows.map(accountRows.read).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  },
  async find(systemId) {
    const named = await readRow(table, KEYS.smppSystemId(systemId), (row) => systemIdRow.parse(row));
    const organizationId = named && asId('organization', named.org);
    const accountId = named && asId('smppAccount', named.account);
    if (!organizationId || !accountId) return undefined;
    return readRow(table, KEYS.smppAccount(organizationId, accountId), accountRows.read);
  },
  async change(before, after, entry) {
    const outcome = await commit(table, {
      row: accountRows.write(after),
      over: before.version,
      also: auditWrites(entry),
    });
    return outcome.kind === 'saved';
  },
  async remove({ organizationId, id: accountId, systemId, version }, entry) {
    const { ok } = await table.transact([
      { delete: KEYS.smppAccount(organizationId, accountId), when: atVersion(version) },
      { delete: KEYS.smppSystemId(systemId) },
      countDown(organizationId, 'smppAccounts', accountId),
      ...auditWrites(entry),
    ]);
    return ok;
  },
});
