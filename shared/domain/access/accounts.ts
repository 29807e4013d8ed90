import { type Id, newId } from '../ids.ts';
import { isoTime } from '../time.ts';

/** `active` may act; `suspended` and `invited` hold no session (decisions, part 2). */
export const ACCOUNT_STATUSES = ['active', 'suspended', 'invited'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** A person of an organization: the same in both environments. */
export interface Account {
  readonly id: Id<'account'>;
  readonly organizationId: Id<'organization'>;
  readonly name: string;
  readonly email: string;
  readonly status: AccountStatus;
  /** ms. */
  readonly createdAt: number;
}

/** A person joins an organization. */
export const newAccount = (fields: Omit<Account, 'id' | 'createdAt'>, now: number): Account => ({
  id: newId('account'),
  ...fields,
  createdAt: now,
});

/** An account as the wire shows it. */
export const accountView = ({ id, name, email, status, createdAt }: Account) => ({
  id,
  name,
  email,
  status,
  createdAt: isoTime(createdAt),
});
