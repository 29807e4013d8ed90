import { type AuditEntry, auditEntry } from '../audit/entry.ts';
import type { Environment } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../core/errors.ts';
import { type Id, randomBase62 } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import { type Account, type AccountStore, type LinkRequest, newLinkRequest } from './accounts.ts';
import { hashSecret } from './secrets.ts';
import {
  type Entered,
  type EnteringPorts,
  enteredAs,
  type NewSession,
  newBrowserSession,
  newSession,
} from './sessions.ts';
import { type SignInMail, signInMail } from './sign-in-mail.ts';

/** Lifetime of a link, in ms: for signing in, and for accepting an invitation. */
export const LINK_MS = { signIn: 15 * 60_000, invitation: 7 * 24 * 3600_000 } as const;
/** A request that could not be mailed within this time is dropped, in ms. */
const REQUEST_MS = 15 * 60_000;

/** A stored link; of its token only the SHA-256 is kept. */
export interface SignInLink {
  readonly hash: string;
  readonly accountId: Id<'account'>;
  /** The account's `sessionEpoch`: a suspension or an accepted invitation invalidates its links. */
  readonly sessionEpoch: number;
  /** In ms. */
  readonly expiresAt: number;
}

/** Stores links, and requests to mail them. */
export interface LinkStore {
  putRequest(request: LinkRequest): Promise<void>;
  /**
   * Claims a request for two minutes, so that one worker mails it. Undefined if it is done or another worker has it.
   */
  takeRequest(id: Id<'request'>, now: number): Promise<LinkRequest | undefined>;
  deleteRequest(id: Id<'request'>): Promise<void>;
  accountsOfAddress(emailHash: string, organizationId?: Id<'organization'>): Promise<readonly Account[]>;
  putLink(link: SignInLink): Promise<void>;
  readLink(hash: string): Promise<SignInLink | undefined>;
}
/** Stores links and the sessions that they open. */
export interface SignInStore extends LinkStore {
  /**
   * Consumes a link, opens the session, and replaces the account if it changes. `used`: the link is gone. One
   * transaction.
   */
  signIn(
    link: SignInLink,
    account: { readonly before: Account; readonly after: Account },
    session: NewSession,
    entry: AuditEntry,
  ): Promise<'saved' | 'used' | 'conflict'>;
}

/** Ports for requesting and mailing links. */
export interface LinkPorts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly accounts: Pick<AccountStore, 'read'>;
  readonly store: LinkStore;
  readonly emailHash: (email: string) => Promise<string>;
  /** Whether another link may be mailed to the address now. */
  readonly mayMail: (emailHash: string) => Promise<boolean>;
  /** 429 if too many links are requested from an IP address. */
  readonly limitAddress: (ip: string) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
  readonly enqueueLink: (request: LinkRequest) => void;
  readonly organizationName: (id: Id<'organization'>) => Promise<string | undefined>;
  /**
   * Sends an e-mail from the service itself. `not_sent`: no mail provider is configured in this stage. Throws
   * Unavailable if it may be retried.
   */
  readonly sendMail: (to: string, mail: SignInMail) => Promise<'sent' | 'not_sent'>;
  /** The URL of the sign-in page. */
  readonly publicUrl: string;
}
/** Ports for signing in with a link. */
export interface SignInPorts extends EnteringPorts, Pick<LinkPorts, 'env' | 'clock' | 'accounts'> {
  readonly store: SignInStore;
}

/** Characters of a token after its prefix. */
const TOKEN_LENGTH = 40;
const TOKEN = /^svc_link_(live|test)_[0-9A-Za-z]{40}$/;

/**
 * Requests a sign-in link. Does the same work whether or not the address has an account, and mails later, so that
 * neither the response nor its timing reveals it. An address over its limit gets the same response, but no mail.
 */
export const requestLink = async (
  ports: LinkPorts,
  email: string,
  ip: string,
): Promise<undefined | Refusal<'RATE_LIMITED'>> => {
  const denied = await ports.limitAddress(ip);
  if (denied) return denied;
  const emailHash = await ports.emailHash(email);
  const request = newLinkRequest({ emailHash }, ports.clock());
  if (!(await ports.mayMail(emailHash))) return undefined;
  await ports.store.putRequest(request);
  ports.enqueueLink(request);
  return undefined;
};

/** A new link for an account, with its path. The only place where its token is visible. */
export const newLink = (account: Account, env: Environment, now: number): { link: SignInLink; path: string } => {
  const token = `svc_link_${env}_${randomBase62(TOKEN_LENGTH)}`;
  const expiresAt = now + (account.acceptedAt === undefined ? LINK_MS.invitation : LINK_MS.signIn);
  const { id: accountId, sessionEpoch } = account;
  return {
    link: { hash: hashSecret(token), accountId, sessionEpoch, expiresAt },
    path: `/console/sign-in${env === 'test' ? '?env=test' : ''}#${token}`,
  };
};

/** Mails a link for one account. */
const mailLink = async (ports: LinkPorts, account: Account): Promise<void> => {
  const { link, path } = newLink(account, ports.env, ports.clock());
  await ports.store.putLink(link);
  const organization = (await ports.organizationName(account.organizationId)) ?? '';
  const invited = account.acceptedAt === undefined;
  await ports.sendMail(account.email, signInMail({ invited, organization, url: `${ports.publicUrl}${path}` }));
};

/**
 * Mails the links of a request: one per account of the address that may sign in, as an invitation if it was not
 * accepted yet. A repeat mails new links; a request that could not be mailed within 15 minutes is dropped.
 */
export const mailRequestedLinks = async (ports: LinkPorts, id: Id<'request'>): Promise<void> => {
  const request = await ports.store.takeRequest(id, ports.clock());
  if (!request) return;
  const isLate = ports.clock() - request.createdAt > REQUEST_MS;
  const found = isLate ? [] : await ports.store.accountsOfAddress(request.emailHash, request.organizationId);
  const faults = await Promise.allSettled(
    found.filter(({ status }) => status !== 'suspended').map((account) => mailLink(ports, account)),
  );
  const failed = faults.find((fault) => fault.status === 'rejected');
  if (failed) throw failed.reason;
  await ports.store.deleteRequest(id);
};

const REFUSED = refuse('UNAUTHORIZED', 'The link is unknown, used or expired: request another.');

/**
 * The account after its person signed in: an invitation becomes accepted, which invalidates its other links. Those work
 * for days, and would open sessions with whatever role the account has by then.
 */
const acceptedBy = (account: Account, now: number): Account =>
  account.status === 'active'
    ? account
    : {
        ...account,
        status: 'active',
        acceptedAt: now,
        sessionEpoch: account.sessionEpoch + 1,
        version: account.version + 1,
      };

/**
 * Opens a session with a link's token, which works once. An invited account becomes active. 401 for any invalid token,
 * whatever the cause. With `cookie`, the session is a browser's: its secret is valid for 15 minutes and is renewed by a
 * cookie.
 */
export const signIn = async (
  ports: SignInPorts,
  token: string,
  { cookie = false }: { readonly cookie?: boolean | undefined } = {},
): Promise<Entered | Refusal<'UNAUTHORIZED'>> => {
  const env = TOKEN.exec(token)?.[1];
  if (env !== ports.env)
    return env === undefined
      ? REFUSED
      : refuse('UNAUTHORIZED', `The link is of the ${env} environment: call with ?env=${env}.`);
  const open = cookie ? newBrowserSession : newSession;
  const outcome = await retryOnConflict('the account', async () => {
    const now = ports.clock();
    const link = await ports.store.readLink(hashSecret(token));
    const before = link && link.expiresAt > now ? await ports.accounts.read(link.accountId) : undefined;
    if (!link || !before || before.status === 'suspended' || before.sessionEpoch !== link.sessionEpoch) return REFUSED;
    const after = acceptedBy(before, now);
    const session = open(after, ports.env, now);
    if (isRefusal(session)) throw new Unavailable('an accepted account is active');
    const { organizationId, id: accountId } = after;
    const { id: credentialId } = session.session;
    const entry = auditEntry(
      { organizationId, env: ports.env, accountId, credentialId },
      { action: 'session.created', object: credentialId, at: now },
    );
    const outcome = await ports.store.signIn(link, { before, after }, session, entry);
    if (outcome === 'saved') return { ...session, account: after };
    return outcome === 'used' ? REFUSED : CONFLICT;
  });
  return isRefusal(outcome) ? outcome : enteredAs(ports, outcome);
};
