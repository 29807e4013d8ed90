import { type Id, newId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';

/** Only an `active` account can hold a session (docs/spec/access.md#people). */
export const ACCOUNT_STATUSES = ['active', 'suspended', 'invited'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** A person of an organization; the same in both environments. */
export interface Account {
  readonly id: Id<'account'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly email: string;
  readonly status: AccountStatus;
  /** In ms. */
  readonly createdAt: number;
}

/** Creates an account in an organization. */
export const newAccount = (fields: Omit<Account, 'id' | 'createdAt'>, now: number): Account => ({
  id: newId('account'),
  ...fields,
  createdAt: now,
});

/** An account as the API returns it. */
export const accountView = ({ id, name, email, status, createdAt }: Account) => ({
  id,
  name,
  email,
  status,
  createdAt: isoTime(createdAt),
});
