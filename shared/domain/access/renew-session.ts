import { auditEntry } from '../audit/entry.ts';
import type { Environment } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import type { Account, AccountStore } from './accounts.ts';
import { newSecret } from './secrets.ts';
import {
  BROWSER_TOKEN_MS,
  type BrowserSession,
  judgeCookie,
  MAX_BROWSER_TOKENS,
  nextCookie,
  type PresentedCookie,
  parseCookie,
} from './session-cookie.ts';
import {
  type Entered,
  type EnteringPorts,
  enteredAs,
  type NewSession,
  type Session,
  type SessionStore,
  sessionCredential,
} from './sessions.ts';

/** Ports for renewing a browser's session. */
export interface RenewPorts extends EnteringPorts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly accounts: Pick<AccountStore, 'read'>;
  readonly sessions: Pick<SessionStore, 'read' | 'renew' | 'end'>;
}

const REFUSED = refuse('UNAUTHORIZED', 'No session is open here: sign in.');

interface Held {
  readonly session: Session;
  readonly browser: BrowserSession;
  readonly account: Account;
}

/**
 * The session with a new token and its next cookie. Earlier tokens stay valid until they expire; beyond ten, the oldest
 * is revoked.
 */
const renewed = (cookie: PresentedCookie, { session, browser, account }: Held, now: number): NewSession => {
  const secret = newSecret('session', session.env);
  const { text, browser: next } = nextCookie(cookie, browser, now);
  const latest = { hash: session.hash, expiresAt: browser.latestEndsAt };
  const older = [...browser.older, latest].filter(({ expiresAt }) => expiresAt > now).slice(1 - MAX_BROWSER_TOKENS);
  const expiresAt = Math.min(now + BROWSER_TOKEN_MS, session.expiresAt);
  return {
    session: { ...session, hash: secret.hash, browser: { ...next, latestEndsAt: expiresAt, older } },
    credential: sessionCredential(session, account, expiresAt),
    secret,
    cookie: text,
  };
};

/** The session of a cookie, with its account. Undefined unless both are still valid. */
const heldBy = async (ports: RenewPorts, { sessionId }: PresentedCookie, now: number): Promise<Held | undefined> => {
  const session = await ports.sessions.read(sessionId);
  if (!session?.browser || session.env !== ports.env || session.expiresAt <= now) return undefined;
  const { browser, organizationId } = session;
  const account = await ports.accounts.read(session.accountId);
  const admits = account?.status === 'active' && account.organizationId === organizationId;
  return admits && account.sessionEpoch === browser.epoch ? { session, browser, account } : undefined;
};

/**
 * Renews a browser's session by its cookie: issues a token for 15 minutes and a replacement cookie. 401 for a cookie of
 * no open session. A cookie that was replaced over a minute ago, or twice, has leaked: it ends the session and revokes
 * all of its tokens.
 */
export const renewSession = async (
  ports: RenewPorts,
  text: string | undefined,
): Promise<Entered | Refusal<'UNAUTHORIZED'>> => {
  const cookie = parseCookie(text ?? '');
  if (!cookie) return REFUSED;
  const outcome = await retryOnConflict('the session', async () => {
    const now = ports.clock();
    const held = await heldBy(ports, cookie, now);
    if (!held) return REFUSED;
    const verdict = judgeCookie(cookie, held.browser, now);
    if (verdict === 'foreign') return REFUSED;
    if (verdict === 'reused') return (await endReused(ports, held, now)) ? REFUSED : CONFLICT;
    const next = renewed(cookie, held, now);
    return (await ports.sessions.renew(held.session, next, held.account))
      ? { ...next, account: held.account }
      : CONFLICT;
  });
  return isRefusal(outcome) ? outcome : enteredAs(ports, outcome);
};

const endReused = ({ sessions }: RenewPorts, { session }: Held, at: number): Promise<boolean> => {
  const { organizationId, env, accountId, id } = session;
  const actor = { organizationId, env, accountId, credentialId: id };
  const act = { action: 'session.ended', object: id, at, details: { cookieReused: true } } as const;
  return sessions.end(session, auditEntry(actor, act));
};
