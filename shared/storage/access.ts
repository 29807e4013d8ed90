import * as z from 'zod';
import { ACCOUNT_STATUSES, type Account, type AccountStatus } from '../domain/access/accounts.ts';
import type { Credential, CredentialReader } from '../domain/access/credentials.ts';
import type { Organization } from '../domain/access/organizations.ts';
import { SCOPES } from '../domain/access/scopes.ts';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { Id } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { QueryRange, Row, Table } from './table.ts';

/** A stored moment (ISO 8601, UTC) as ms. */
const moment = z.iso.datetime().transform((text) => Date.parse(text));
const organizationId = z.string().transform((text) => text as Id<'organization'>);
const accountId = z.string().transform((text) => text as Id<'account'>);

/** A day after its end a credential's row goes away by itself. */
export const credentialTtl = (expiresAt: number): number => Math.floor(expiresAt / 1000) + 24 * 3600;

/** The ISO text of a moment that may be absent: an undefined attribute is not written. */
const isoOrNone = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

const credentialRow = z.object({
  id: z.string(),
  org: organizationId,
  env: z.enum(ENVIRONMENTS),
  kind: z.enum(['key', 'session']),
  scopes: z.array(z.enum(SCOPES)),
  accountId: accountId.exactOptional(),
  expiresAt: moment.exactOptional(),
});

/** The row by which a secret is recognised: found by the secret's hash, without a trace of its text. */
export const credentialWrite = (hash: string, credential: Credential): WriteOp => ({
  put: {
    ...KEYS.credential(hash),
    id: credential.id,
    org: credential.organizationId,
    env: credential.env,
    kind: credential.kind,
    scopes: credential.scopes,
    accountId: credential.accountId,
    expiresAt: isoOrNone(credential.expiresAt),
    ttl: credential.expiresAt === undefined ? undefined : credentialTtl(credential.expiresAt),
  },
  when: { text: 'attribute_not_exists(#pk)' },
});

/** Credentials of a stage, as its authorizer reads them: strongly consistent, so that what was revoked is gone. */
export const credentialReader = (table: Table): CredentialReader => ({
  async find(sha256) {
    const row = await table.get(KEYS.credential(sha256));
    if (!row) return undefined;
    const { org, ...credential } = credentialRow.parse(row);
    return { ...credential, organizationId: org };
  },
  account: (id) => readAccount(table, id),
});

/** Stores a session's credential. Throws when the secret was ever seen before, which 238 random bits rule out. */
export const putSession = async (table: Table, hash: string, session: Credential): Promise<void> => {
  const write = credentialWrite(hash, session);
  const written = await table.write(write);
  if (!written.ok && written.row?.id !== session.id) throw new Error('A session met the secret of another.');
};

const accountRow = z.object({
  id: accountId,
  org: organizationId,
  name: z.string(),
  email: z.string(),
  status: z.enum(ACCOUNT_STATUSES),
  createdAt: moment,
});

const parseAccount = (row: Row): Account => {
  const { org, ...account } = accountRow.parse(row);
  return { ...account, organizationId: org };
};

/** A person by the id, strongly consistent; undefined when there is none. Whose it is, the caller checks. */
export const readAccount = async (table: Table, id: string): Promise<Account | undefined> => {
  const row = await table.get(KEYS.account(id));
  return row && parseAccount(row);
};

/** Stores a new person of a known organization. False when the table has no such organization. */
export const putAccount = async (table: Table, account: Account): Promise<boolean> => {
  const { id, name, email, status } = account;
  const createdAt = isoTime(account.createdAt);
  const outcome = await table.transact([
    {
      put: {
        ...KEYS.account(id),
        ...FINDS.accountsOf(account.organizationId, createdAt, id),
        id,
        org: account.organizationId,
        name,
        email,
        status,
        createdAt,
      },
      when: { text: 'attribute_not_exists(#pk)' },
    },
    {
      update: KEYS.organization(account.organizationId),
      add: { accounts: 1 },
      when: { text: 'attribute_exists(#pk)' },
    },
  ]);
  return outcome.ok || outcome.reasons[0]?.row?.org === account.organizationId;
};

/** Sets a person's status; from then on a suspended person's sessions are refused. False when there is no such person. */
export const setAccountStatus = async (table: Table, id: string, status: AccountStatus): Promise<boolean> => {
  const written = await table.write({
    update: KEYS.account(id),
    set: { status },
    when: { text: 'attribute_exists(#pk)' },
  });
  return written.ok;
};

export interface PageWish {
  readonly limit: number;
  readonly skip: number;
}

/** The full rows of a page of an index, newest first. Walks the narrow index only, so that what is left out costs no full row. */
export const readPage = async (table: Table, partition: string, page: PageWish): Promise<Row[]> => {
  const wanted = page.skip + page.limit;
  const entries: Row[] = [];
  let startKey: QueryRange['startKey'];
  do {
    const { rows, nextKey } = await table.query({
      index: 'gsi1',
      partition,
      newestFirst: true,
      limit: wanted - entries.length,
      startKey,
    });
    entries.push(...rows);
    startKey = nextKey;
  } while (startKey && entries.length < wanted);
  const rows = await table.getMany(entries.slice(page.skip, wanted));
  return rows.filter((row) => row !== undefined);
};

const organizationRow = z.object({
  id: organizationId,
  name: z.string(),
  smsPerSecond: z.int().min(1).exactOptional(),
  createdAt: moment,
  /** How many keys and accounts it ever had. */
  keys: z.int().default(0),
  accounts: z.int().default(0),
});

/** An organization with the totals of its lists; undefined when the table has none of that id. */
export const readOrganization = async (
  table: Table,
  id: string,
): Promise<(Organization & { keys: number; accounts: number }) | undefined> => {
  const row = await table.get(KEYS.organization(id));
  return row && organizationRow.parse(row);
};

/** The write of a new organization, with how many keys are written beside it. */
export const organizationWrite = (organization: Organization, keys = 0): WriteOp => {
  const { id, name, smsPerSecond } = organization;
  const createdAt = isoTime(organization.createdAt);
  return {
    put: {
      ...KEYS.organization(id),
      ...FINDS.organizations(createdAt, id),
      id,
      name,
      smsPerSecond,
      createdAt,
      keys,
      accounts: 0,
    },
    when: { text: 'attribute_not_exists(#pk)' },
  };
};

/** Organizations of the stage, newest first. */
export const listOrganizations = async (table: Table, page: PageWish): Promise<Organization[]> =>
  (await readPage(table, 'ORGS', page)).map((row) => {
    const { keys: _keys, accounts: _accounts, ...organization } = organizationRow.parse(row);
    return organization;
  });

/** An organization's people, newest first. */
export const listAccounts = async (
  table: Table,
  id: string,
  page: PageWish,
): Promise<{ items: Account[]; total: number }> => {
  const [rows, organization] = await Promise.all([
    readPage(table, FINDS.accountsOf(id, '', '').gsi1pk, page),
    readOrganization(table, id),
  ]);
  return { items: rows.map(parseAccount), total: organization?.accounts ?? 0 };
};
