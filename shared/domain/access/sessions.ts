import { type AuditEntry, auditEntry } from '../audit/entry.ts';
import type { Actor, Environment, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { removeOnce } from '../core/retry-on-conflict.ts';
import { SCOPES } from '../core/scopes.ts';
import { type Clock, isoTime } from '../core/time.ts';
import type { Account, AccountStore } from './accounts.ts';
import type { Credential } from './credentials.ts';
import { missingForRole, scopesOfRole } from './roles.ts';
import { type NewSecret, newSecret } from './secrets.ts';
import { BROWSER_TOKEN_MS, type BrowserSession, newCookie } from './session-cookie.ts';

/** Lifetime of a session, in ms: a working day. */
export const SESSION_MS = 12 * 3600 * 1000;

/** A person's session, without its secret. Times in ms. */
export interface Session extends Tenant {
  readonly id: Id<'session'>;
  readonly accountId: Id<'account'>;
  /** SHA-256 of the secret; of the latest one if a cookie renews it. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Set for a session that a browser renews by its cookie. */
  readonly browser?: BrowserSession;
}

/** A new session with its credential; the secret's text is shown once. */
export interface NewSession {
  readonly session: Session;
  readonly credential: Credential;
  readonly secret: NewSecret;
  /** The text of its cookie; only for a browser. */
  readonly cookie?: string;
}

/** Stores sessions. */
export interface SessionStore {
  /**
   * Opens a session, with its audit entry. False if the account is no longer active, or was suspended since it was
   * read.
   */
  open(session: NewSession, account: Account, entry?: AuditEntry): Promise<boolean>;
  read(id: Id<'session'>): Promise<Session | undefined>;
  /** The unexpired sessions of an account, newest first, at most 200. */
  list(accountId: Id<'account'>, now: number): Promise<readonly Session[]>;
  /** Replaces `before` by a session with another secret, if neither it nor the account changed since they were read. */
  renew(before: Session, renewed: NewSession, account: Account): Promise<boolean>;
  /** Deletes a session with its credentials and writes the audit entry. False if it changed meanwhile, or is gone. */
  end(session: Session, entry: AuditEntry): Promise<boolean>;
}

/**
 * The credential of a session's secret, valid until `expiresAt` (ms). It has no scopes: those come from the account's
 * role.
 */
export const sessionCredential = (
  { id, organizationId, env, accountId }: Session,
  { sessionEpoch }: Account,
  expiresAt: number,
): Credential => ({
  kind: 'session',
  id,
  organizationId,
  env,
  accountId,
  sessionEpoch,
  expiresAt,
  scopes: [],
  ancestors: [],
});

/**
 * Creates a session for a person in one environment, with the scopes of the account's role. CONFLICT if the account is
 * not active.
 */
export const newSession = (account: Account, env: Environment, now: number): NewSession | Refusal<'CONFLICT'> => {
  if (account.status !== 'active')
    return refuse('CONFLICT', `The account is ${account.status}: only an active account can open a session.`);
  const { organizationId, id: accountId } = account;
  const secret = newSecret('session', env);
  const expiresAt = now + SESSION_MS;
  const session = {
    id: newId('session'),
    organizationId,
    env,
    accountId,
    hash: secret.hash,
    createdAt: now,
    expiresAt,
  };
  return { session, credential: sessionCredential(session, account, expiresAt), secret };
};

/**
 * Creates a session for a browser: a secret valid for 15 minutes, and a cookie that renews it. CONFLICT if the account
 * is not active.
 */
export const newBrowserSession = (
  account: Account,
  env: Environment,
  now: number,
): NewSession | Refusal<'CONFLICT'> => {
  const opened = newSession(account, env, now);
  if (isRefusal(opened)) return opened;
  const { text: cookie, browser } = newCookie(opened.session.id, account.sessionEpoch, now);
  const credential = { ...opened.credential, expiresAt: now + BROWSER_TOKEN_MS };
  return { ...opened, session: { ...opened.session, browser }, credential, cookie };
};

interface SessionPorts {
  readonly accounts: Pick<AccountStore, 'read'>;
  readonly sessions: SessionStore;
  readonly clock: Clock;
}

/**
 * An account whose sessions the caller may list and end: its own, or that of a person whom it may manage. 404 for any
 * other.
 */
const reachable = async (
  { accounts }: SessionPorts,
  caller: Actor,
  accountId: Id<'account'> | undefined,
): Promise<Id<'account'> | Refusal<'NOT_FOUND'>> => {
  if (accountId !== undefined && accountId === caller.accountId) return accountId;
  const account = accountId && caller.scopes.has('accounts:write') ? await accounts.read(accountId) : undefined;
  const isManaged =
    account?.organizationId === caller.organizationId && missingForRole(caller.scopes, account.role).length === 0;
  return account && isManaged ? account.id : refuse('NOT_FOUND', 'There is no such session.');
};

/** The open sessions of the caller, or of an account that it may manage, newest first. */
export const listSessions = async (
  ports: SessionPorts,
  caller: Actor,
  accountId: Id<'account'> | undefined,
  now: number,
): Promise<readonly Session[] | Refusal<'NOT_FOUND'>> => {
  const of = await reachable(ports, caller, accountId ?? caller.accountId);
  return isRefusal(of) ? of : ports.sessions.list(of, now);
};

/**
 * Ends a session of the caller, or of an account that it may manage: it is rejected within 60 seconds. 404 for any
 * other session, and for one that has ended.
 */
export const endSession = async (
  ports: SessionPorts,
  caller: Actor,
  id: Id<'session'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> => {
  const find = async () => {
    const session = await ports.sessions.read(id);
    const own = session?.organizationId === caller.organizationId && session.env === caller.env ? session : undefined;
    const of = await reachable(ports, caller, own?.accountId);
    return isRefusal(of) || !own ? refuse('NOT_FOUND', 'There is no such session.') : own;
  };
  return removeOnce('the session', find, (session) =>
    ports.sessions.end(session, auditEntry(caller, { action: 'session.ended', object: id, at: ports.clock() })),
  );
};

/** A new session with its secret, which is shown once. */
export const issuedView = ({ session, credential, secret }: NewSession) => ({
  token: secret.text,
  expiresAt: isoTime(credential.expiresAt ?? session.expiresAt),
});

/** Ports for describing the signed-in person. */
export interface EnteringPorts {
  readonly organizationName: (id: Id<'organization'>) => Promise<string | undefined>;
}
/** A newly opened session, with its account and organization. */
export interface Entered extends NewSession {
  readonly account: Account;
  readonly organizationName: string;
}

/** Adds the organization's name, which the console always shows. */
export const enteredAs = async <T extends NewSession & { readonly account: Account }>(
  { organizationName }: EnteringPorts,
  opened: T,
): Promise<T & Entered> => ({
  ...opened,
  organizationName: (await organizationName(opened.account.organizationId)) ?? '',
});

/** The response to sign-in: the session's secret, which is shown once, and who the person is. */
export const enteredView = (entered: Entered) => {
  const { account, session, organizationName } = entered;
  const held = scopesOfRole(account.role);
  return {
    ...issuedView(entered),
    session: { id: session.id, expiresAt: isoTime(session.expiresAt) },
    person: { accountId: account.id, name: account.name, email: account.email, role: account.role },
    organization: { id: account.organizationId, name: organizationName, env: session.env },
    scopes: SCOPES.filter((scope) => held.has(scope)),
  };
};

/** A session as the API returns it to a caller. */
export const sessionView = ({ id, accountId, createdAt, expiresAt }: Session, caller: Pick<Actor, 'credentialId'>) => ({
  id,
  accountId,
  createdAt: isoTime(createdAt),
  expiresAt: isoTime(expiresAt),
  current: id === caller.credentialId,
});
