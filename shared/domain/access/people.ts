import { type AuditDetails, auditEntry, fieldNames } from '../audit/entry.ts';
import type { Actor, Environment } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Scope } from '../core/scopes.ts';
import type { Clock } from '../core/time.ts';
import {
  type Account,
  type AccountOutcome,
  type AccountStore,
  type LinkRequest,
  MAX_ACCOUNTS,
  newAccount,
  newLinkRequest,
  withStatus,
} from './accounts.ts';
import { type AccountRole, missingForRole, type Role, scopesOfRole } from './roles.ts';

/** Ports for managing the people of an organization. */
export interface PeoplePorts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly accounts: AccountStore;
  /** The stage's blind index of a person's address. */
  readonly emailHash: (email: string) => Promise<string>;
  /** 429 if the organization invites too often. */
  readonly limitInvitations: (organizationId: Id<'organization'>) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
  /** Enqueues a stored request for early mailing; best effort. */
  readonly enqueueLink: (request: LinkRequest) => void;
}

type Verb = 'activated' | 'changed' | 'deleted' | 'invited' | 'suspended';
/** The audit entry of a caller's action on an account. */
const entryOf = (caller: Actor, object: Id<'account'>, verb: Verb, at: number, details: AuditDetails = {}) =>
  auditEntry(caller, { action: `account.${verb}`, object, at, details });

const NOT_THERE = refuse('NOT_FOUND', 'There is no such account.');

/** The caller as a manager of people: its current permissions and, for a session, the account that they depend on. */
interface Manager {
  readonly scopes: ReadonlySet<Scope>;
  readonly account?: Account;
}

/** 403 naming the scopes of the role that the manager lacks: a manager cannot grant or change more than they hold. */
const refuseRole = ({ scopes }: Manager, role: AccountRole): Refusal<'FORBIDDEN'> | undefined => {
  const missing = missingForRole(scopes, role);
  return missing.length > 0
    ? refuse('FORBIDDEN', `A credential cannot manage a role above its own; it lacks: ${missing.join(', ')}.`)
    : undefined;
};

const CALLER_CHANGED = refuse('FORBIDDEN', 'The permissions of the caller have changed meanwhile.');

const refusalOf = (outcome: Exclude<AccountOutcome, 'conflict' | 'saved'>) => {
  switch (outcome) {
    case 'caller_changed':
      return CALLER_CHANGED;
    case 'email_taken':
      return refuse('CONFLICT', {
        detail: 'Another account of the organization has this e-mail address.',
        meta: { code: 'EMAIL_JA_CADASTRADO' },
      });
    case 'last_owner':
      return refuse('CONFLICT', {
        detail: 'The organization would be left without an active owner.',
        meta: { code: 'ULTIMO_PROPRIETARIO' },
      });
    case 'limit_reached':
      return refuse('CONFLICT', `An organization has at most ${MAX_ACCOUNTS} accounts.`);
  }
};

/** The caller with its account as stored now: writes fail if that changes meanwhile. 403 for a person who may no longer manage people. */
const managerOf = async (
  { accounts }: PeoplePorts,
  { kind, accountId, scopes }: Actor,
): Promise<Manager | Refusal<'FORBIDDEN'>> => {
  if (kind === 'key') return { scopes };
  const account = accountId && (await accounts.read(accountId));
  const held = account?.status === 'active' ? scopesOfRole(account.role) : undefined;
  return account && held?.has('accounts:write') ? { scopes: held, account } : CALLER_CHANGED;
};

/**
 * Invites a person: the account is `invited` until the person signs in with the mailed link. 403 for a role above the
 * caller's, 409 for an address that the organization already has.
 */
export const invite = async (
  ports: PeoplePorts,
  caller: Actor,
  /** The address is normalized. */
  request: Pick<Account, 'name' | 'email' | 'role'>,
): Promise<Account | Refusal<'FORBIDDEN' | 'CONFLICT' | 'RATE_LIMITED'>> => {
  const { organizationId } = caller;
  const manager = await managerOf(ports, caller);
  if (isRefusal(manager)) return manager;
  const denied = refuseRole(manager, request.role) ?? (await ports.limitInvitations(organizationId));
  if (denied) return denied;
  const emailHash = await ports.emailHash(request.email);
  const now = ports.clock();
  const account = newAccount({ organizationId, ...request, emailHash, status: 'invited' }, now);
  const link = newLinkRequest({ emailHash, organizationId }, now);
  const outcome = await ports.accounts.create(
    account,
    manager.account,
    link,
    entryOf(caller, account.id, 'invited', now),
  );
  if (outcome === 'conflict') return refuse('CONFLICT', 'The account could not be written; try again.');
  if (outcome !== 'saved') return refusalOf(outcome);
  ports.enqueueLink(link);
  return account;
};

/** Reads an account of the caller's organization; 404 for any other. */
export const findAccount = async (
  { accounts }: Pick<PeoplePorts, 'accounts'>,
  { organizationId }: Pick<Actor, 'organizationId'>,
  id: Id<'account'>,
): Promise<Account | Refusal<'NOT_FOUND'>> => {
  const account = await accounts.read(id);
  return account?.organizationId === organizationId ? account : NOT_THERE;
};

/** An account that the caller may manage. 404 for one of another organization, 403 for one of a role above the caller's. */
const findManaged = async (
  ports: PeoplePorts,
  caller: Actor,
  id: Id<'account'>,
): Promise<{ readonly account: Account; readonly manager: Manager } | Refusal<'FORBIDDEN' | 'NOT_FOUND'>> => {
  const [account, manager] = await Promise.all([findAccount(ports, caller, id), managerOf(ports, caller)]);
  if (isRefusal(account)) return account;
  if (isRefusal(manager)) return manager;
  return refuseRole(manager, account.role) ?? { account, manager };
};

type ChangeProblem = 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT';

/** Changes an account that the caller may manage to what `next` returns; no change if that is the same account. */
const changeAccount = (
  ports: PeoplePorts,
  caller: Actor,
  id: Id<'account'>,
  next: (account: Account, manager: Manager) => Account | Refusal<'CONFLICT' | 'FORBIDDEN'>,
  verb: Verb,
  details: AuditDetails = {},
): Promise<Account | Refusal<ChangeProblem>> =>
  retryOnConflict('the account', async () => {
    const managed = await findManaged(ports, caller, id);
    if (isRefusal(managed)) return managed;
    const { account: before, manager } = managed;
    const changed = next(before, manager);
    if (isRefusal(changed) || changed === before) return changed;
    const after = { ...changed, version: before.version + 1 };
    const outcome = await ports.accounts.change(
      before,
      after,
      manager.account,
      entryOf(caller, id, verb, ports.clock(), details),
    );
    if (outcome === 'saved') return after;
    return outcome === 'conflict' ? CONFLICT : refusalOf(outcome);
  });

/**
 * Changes name or role. A narrower role applies to the person's open sessions immediately. 403 if the old or new role
 * is above the caller's; 409 for the last active owner.
 */
export const updateAccount = (
  ports: PeoplePorts,
  caller: Actor,
  id: Id<'account'>,
  change: { readonly name?: string | undefined; readonly role?: Role | undefined },
): Promise<Account | Refusal<ChangeProblem>> => {
  const fields = definedFields(change);
  const next = (account: Account, manager: Manager) => {
    const denied = fields.role && refuseRole(manager, fields.role);
    if (denied) return denied;
    return Object.keys(fields).length === 0 ? account : { ...account, ...fields };
  };
  return changeAccount(ports, caller, id, next, 'changed', { fields: fieldNames(fields) });
};

/** Suspends an account: its sessions and links end permanently. Idempotent. 409 for the last active owner. */
export const suspendAccount = (ports: PeoplePorts, caller: Actor, id: Id<'account'>) =>
  changeAccount(
    ports,
    caller,
    id,
    (account) => (account.status === 'suspended' ? account : withStatus(account, 'suspended')),
    'suspended',
  );

/**
 * Ends a suspension; the account returns to its previous status: `active`, or `invited` if never accepted. 409 for an
 * open invitation.
 */
export const activateAccount = (ports: PeoplePorts, caller: Actor, id: Id<'account'>) =>
  changeAccount(
    ports,
    caller,
    id,
    (account) => {
      if (account.status === 'active') return account;
      if (account.status === 'invited')
        return refuse('CONFLICT', 'The invitation is accepted by signing in with the link that was mailed.');
      return withStatus(account, account.acceptedAt === undefined ? 'invited' : 'active');
    },
    'activated',
  );

/** Removes an account with its personal data; its sessions are rejected from then on. 409 for the last active owner. */
export const removeAccount = (ports: PeoplePorts, caller: Actor, id: Id<'account'>) =>
  removeOnce(
    'the account',
    () => findManaged(ports, caller, id),
    async ({ account, manager }): Promise<boolean | Refusal<'CONFLICT' | 'FORBIDDEN'>> => {
      const outcome = await ports.accounts.remove(
        account,
        manager.account,
        entryOf(caller, id, 'deleted', ports.clock()),
      );
      return outcome === 'saved' || (outcome === 'conflict' ? false : refusalOf(outcome));
    },
  );
