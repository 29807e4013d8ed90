import type { PresentedCall } from '../access/credentials.ts';
import { asCurrentCaller, type CallerPorts } from '../access/current-caller.ts';
import { type Grantor, refuseMissingScopes, refuseWiderRanges } from '../access/keys.ts';
import { type AuditDetails, type AuditEntry, auditEntry, fieldNames, operatorEntry } from '../audit/entry.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { CONFLICT, removeOnce, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Scope } from '../core/scopes.ts';
import { BINDS, newSystemId, type SmppAccount, type SmppAccountStore, type SmppSettings, WINDOW } from './account.ts';
import { newPassword } from './password.ts';

/** Ports for managing the accounts of the caller's organization. */
export interface SmppAccountPorts extends CallerPorts {
  readonly accounts: SmppAccountStore;
}

/** A new account: omitted fields get their defaults. */
export type NewSmppAccount = Pick<SmppSettings, 'name' | 'route'> & Patch<SmppSettings>;
export type SmppAccountChange = Patch<SmppSettings, 'senderId' | 'allowedIps'>;
/** An account with its new password, which is shown only once. */
export interface IssuedSmppAccount {
  readonly account: SmppAccount;
  readonly password: string;
}

/** The scopes that an account implies: a credential cannot create an account stronger than itself. */
const ALLOWS: readonly Scope[] = ['sms:send', 'sms:read'];
/** Attempts to find a free system_id; a collision has probability 2^-59. */
const MAX_NAMES = 3;

const notFound = () => refuse('NOT_FOUND', 'There is no such SMPP account.');

type Verb = 'changed' | 'created' | 'deleted' | 'password_rotated';
const entryOf = (
  { credentialId, ...grantor }: Grantor,
  verb: Verb,
  { id, at, details = {} }: { readonly id: Id<'smppAccount'>; readonly at: number; readonly details?: AuditDetails },
): AuditEntry => {
  const act = { action: `smpp_account.${verb}`, object: id, at, details } as const;
  return credentialId === undefined
    ? operatorEntry(grantor.organizationId, act)
    : auditEntry({ ...grantor, credentialId }, act);
};

/** 403 for an account that would allow what the grantor may not do, or would allow addresses from which the grantor may not call. */
const refuseGrant = (grantor: Grantor, allowedIps: readonly string[] | undefined) =>
  refuseMissingScopes(grantor, ALLOWS) ?? refuseWiderRanges(grantor, allowedIps);

const accountOf = (grantor: Grantor, settings: NewSmppAccount, passwordHash: string, now: number): SmppAccount => ({
  maxBinds: BINDS.standard,
  window: WINDOW.standard,
  dlrFormat: 'minutes',
  ...definedFields(settings),
  name: settings.name,
  route: settings.route,
  id: newId('smppAccount'),
  organizationId: grantor.organizationId,
  systemId: newSystemId(grantor.env),
  passwordHash,
  createdBy: grantor.accountId ?? (grantor.credentialId as Id<'apiKey'> | undefined),
  passwordChangedAt: now,
  version: 1,
  createdAt: now,
  updatedAt: now,
});

/** Creates an account. 403 for what the grantor may not grant, 409 if the organization has reached its limit. */
export const createAccount = async (
  accounts: SmppAccountStore,
  grantor: Grantor,
  settings: NewSmppAccount,
  now: number,
): Promise<IssuedSmppAccount | Refusal<'CONFLICT' | 'FORBIDDEN'>> => {
  const denied = refuseGrant(grantor, settings.allowedIps);
  if (denied) return denied;
  const password = await newPassword();
  for (let name = 0; name < MAX_NAMES; name++) {
    const account = accountOf(grantor, settings, password.hash, now);
    const outcome = await accounts.create(account, entryOf(grantor, 'created', { id: account.id, at: now }));
    if (outcome === 'saved') return { account, password: password.text };
    if (outcome === 'limit_reached')
      return refuse('CONFLICT', 'The organization has reached its maximum of SMPP accounts.');
  }
  throw new Unavailable('The SMPP account could not be stored.');
};

type Changed = { readonly after: SmppAccount; readonly entry: AuditEntry } | Refusal<'FORBIDDEN'>;
/** Applies a change to the current account; retried if another change was stored first. */
const changeNow = (
  accounts: SmppAccountStore,
  { organizationId }: Grantor,
  id: Id<'smppAccount'>,
  change: (before: SmppAccount) => Changed | Promise<Changed>,
): Promise<SmppAccount | Refusal<'FORBIDDEN' | 'NOT_FOUND'>> =>
  retryOnConflict('The SMPP account', async () => {
    const before = await accounts.read(organizationId, id);
    if (!before) return notFound();
    const changed = await change(before);
    if (isRefusal(changed)) return changed;
    return (await accounts.change(before, changed.after, changed.entry)) ? changed.after : CONFLICT;
  });

const patched = (before: SmppAccount, change: SmppAccountChange, now: number): SmppAccount => {
  const { senderId = before.senderId, allowedIps = before.allowedIps, ...rest } = change;
  return {
    ...before,
    ...definedFields(rest),
    senderId: senderId ?? undefined,
    allowedIps: allowedIps ?? undefined,
    version: before.version + 1,
    updatedAt: now,
  };
};

/** Changes the settings of an account; its binds see the change within a minute. Setting addresses requires what creating it would. */
export const changeAccount = (
  { accounts, ...ports }: SmppAccountPorts,
  call: PresentedCall,
  { id, ...change }: SmppAccountChange & { readonly id: Id<'smppAccount'> },
) =>
  asCurrentCaller(ports, call, (caller) =>
    changeNow(accounts, caller, id, (before) => {
      const now = ports.clock();
      const after = patched(before, change, now);
      const denied = change.allowedIps === undefined ? undefined : refuseGrant(caller, after.allowedIps);
      return (
        denied ?? { after, entry: entryOf(caller, 'changed', { id, at: now, details: { fields: fieldNames(change) } }) }
      );
    }),
  );

/** Creates an account of the caller's organization, with its password. */
export const createOwnAccount = (ports: SmppAccountPorts, call: PresentedCall, settings: NewSmppAccount) =>
  asCurrentCaller(ports, call, (caller) => createAccount(ports.accounts, caller, settings, ports.clock()));

/**
 * Replaces an account's password: the former one is refused immediately, and existing binds stay. 403 for a caller that may not do what the
 * account may, since the response contains its password.
 */
export const rotateAccountPassword = async (
  accounts: SmppAccountStore,
  grantor: Grantor,
  id: Id<'smppAccount'>,
  now: number,
  makePassword = newPassword,
): Promise<IssuedSmppAccount | Refusal<'FORBIDDEN' | 'NOT_FOUND'>> => {
  // Hashing is slow by design: it is done once, and only for an existing account that the caller may change.
  let made: ReturnType<typeof newPassword> | undefined;
  const password = () => (made ??= makePassword());
  const account = await changeNow(accounts, grantor, id, async (before) => {
    const denied = refuseGrant(grantor, before.allowedIps);
    if (denied) return denied;
    const { hash } = await password();
    const version = before.version + 1;
    const after = { ...before, passwordHash: hash, passwordChangedAt: now, updatedAt: now, version };
    return { after, entry: entryOf(grantor, 'password_rotated', { id, at: now }) };
  });
  return isRefusal(account) ? account : { account, password: (await password()).text };
};

/** Replaces the password of an account of the caller's organization. */
export const rotateOwnPassword = (ports: SmppAccountPorts, call: PresentedCall, id: Id<'smppAccount'>) =>
  asCurrentCaller(ports, call, (caller) => rotateAccountPassword(ports.accounts, caller, id, ports.clock()));

/** Deletes an account: new binds are refused immediately, and its binds end within a minute. Its messages stay. */
export const deleteAccount = (
  accounts: SmppAccountStore,
  grantor: Grantor,
  id: Id<'smppAccount'>,
  now: number,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The SMPP account',
    async () => (await accounts.read(grantor.organizationId, id)) ?? notFound(),
    (before) => accounts.remove(before, entryOf(grantor, 'deleted', { id, at: now })),
  );

/** Deletes an account of the caller's organization. */
export const deleteOwnAccount = (ports: SmppAccountPorts, call: PresentedCall, id: Id<'smppAccount'>) =>
  asCurrentCaller(ports, call, (caller) => deleteAccount(ports.accounts, caller, id, ports.clock()));

/** 404 for an account of another organization. */
export const readOwnAccount = async (
  { accounts }: Pick<SmppAccountPorts, 'accounts'>,
  { organizationId }: Pick<Grantor, 'organizationId'>,
  id: Id<'smppAccount'>,
): Promise<SmppAccount | Refusal<'NOT_FOUND'>> => (await accounts.read(organizationId, id)) ?? notFound();
