import type { AuditEntry } from '../audit/entry.ts';
import { type Id, newId } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';
import { isoTime } from '../core/time.ts';
import type { AccountRole } from './roles.ts';

/** Only an `active` account can hold a session (docs/spec/access.md#people). */
export const ACCOUNT_STATUSES = ['active', 'suspended', 'invited'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];
/** Accounts of an organization in one environment, at most. */
export const MAX_ACCOUNTS = 1_000;

/** A person of an organization, in one environment. */
export interface Account {
  readonly id: Id<'account'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly email: string;
  /** The blind index of the address, which is unique in the organization; empty for an account from before addresses were. */
  readonly emailHash: string;
  readonly role: AccountRole;
  readonly status: AccountStatus;
  /**
   * Incremented by suspensions and by the acceptance of an invitation: sessions and links with an older value are
   * rejected permanently.
   */
  readonly sessionEpoch: number;
  /** When the person first signed in, in ms; absent while the invitation is open. */
  readonly acceptedAt?: number;
  /** In ms. */
  readonly createdAt: number;
  /** Incremented by each change. */
  readonly version: number;
}

type NewAccountFields = Pick<Account, 'organizationId' | 'name' | 'email' | 'emailHash' | 'role' | 'status'>;

/** Creates an account in an organization. */
export const newAccount = (fields: NewAccountFields, now: number): Account => ({
  id: newId('account'),
  ...fields,
  sessionEpoch: 0,
  ...(fields.status === 'invited' ? {} : { acceptedAt: now }),
  createdAt: now,
  version: 1,
});

/**
 * The blind index of a person's address. The same in all organizations of a stage, so that sign-in finds every account
 * of the address.
 */
export const personHash = (vault: Vault, email: string): string => vault.blindIndex('people', 'email', email);

/** The account with another status. A suspension ends its sessions and links. */
export const withStatus = (account: Account, status: AccountStatus): Account => ({
  ...account,
  status,
  sessionEpoch: account.sessionEpoch + (status === 'suspended' && account.status !== 'suspended' ? 1 : 0),
});

/** Whether the account counts as one of the owners of whom the organization keeps at least one: only an active one can act. */
export const isActiveOwner = ({ role, status }: Account): boolean => role === 'owner' && status === 'active';

/** The result of an account's write. `limit_reached`: the organization is full, or does not exist. */
export type AccountOutcome = 'saved' | 'conflict' | 'caller_changed' | 'email_taken' | 'last_owner' | 'limit_reached';

/** Stores accounts, each write with its entry of the audit log. Each write is one transaction with the organization's counters, so that concurrent ones never leave it without an owner. */
export interface AccountStore {
  read(id: Id<'account'>): Promise<Account | undefined>;
  /** Creates an account, with the request to mail its link if given. */
  create(
    account: Account,
    by: Account | undefined,
    linkRequest?: LinkRequest,
    entry?: AuditEntry,
  ): Promise<AccountOutcome>;
  /** Replaces `before` by `after`, if neither it nor the calling account (`by`) changed since they were read. */
  change(before: Account, after: Account, by: Account | undefined, entry?: AuditEntry): Promise<AccountOutcome>;
  remove(account: Account, by: Account | undefined, entry?: AuditEntry): Promise<AccountOutcome>;
}

/** A stored request to mail sign-in links; due immediately. */
export interface LinkRequest {
  readonly id: Id<'request'>;
  /** The person's address, as a blind index of the stage. */
  readonly emailHash: string;
  /** Limits the request to the account of this organization; absent: all accounts of the address. */
  readonly organizationId?: Id<'organization'>;
  /** In ms. */
  readonly createdAt: number;
}

/** Creates a request for the links of an address. */
export const newLinkRequest = (fields: Omit<LinkRequest, 'id' | 'createdAt'>, now: number): LinkRequest => ({
  id: newId('request'),
  ...fields,
  createdAt: now,
});

/** An account as the API returns it. */
export const accountView = ({ id, name, email, role, status, createdAt }: Account) => ({
  id,
  name,
  email,
  role,
  status,
  createdAt: isoTime(createdAt),
});
