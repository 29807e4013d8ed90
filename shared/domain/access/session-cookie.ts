import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Environment } from '../core/actor.ts';
import { type Id, randomBase62 } from '../core/ids.ts';
import { hashSecret } from './secrets.ts';

/** Lifetime of a browser session's token, in ms; the cookie renews it. */
export const BROWSER_TOKEN_MS = 15 * 60_000;
/** How long a replaced cookie can still renew, in ms: for tabs that renew concurrently, and for lost responses. */
export const COOKIE_GRACE_MS = 60_000;
/** Maximum number of live tokens per session: the oldest is revoked when another is issued. */
export const MAX_BROWSER_TOKENS = 10;

/** The state of a browser session: its cookie, and the tokens issued before the latest. Times in ms. */
export interface BrowserSession {
  /** The account's `sessionEpoch` when the session was opened. */
  readonly epoch: number;
  /** SHA-256 of the cookie's secret, which stays the same for the life of the session. */
  readonly secretHash: string;
  /**
   * Combined with the secret, it yields the proof of each generation, so that neither the row nor an old cookie alone
   * can compute the next.
   */
  readonly salt: string;
  /** The number of replacements. */
  readonly generation: number;
  readonly replacedAt: number;
  /** When the latest token expires. */
  readonly latestEndsAt: number;
  readonly older: readonly { readonly hash: string; readonly expiresAt: number }[];
}

/** A cookie's text for a session, and the state to store. */
export interface NewCookie {
  readonly text: string;
  readonly browser: BrowserSession;
}

const LENGTH = 40;
const SHAPE = /^(ses_[0-9A-Za-z]{21})\.([0-9A-Za-z]{40})\.(\d{1,6})\.([0-9a-f]{64})$/;

const proofOf = (salt: string, secret: string, generation: number): string =>
  createHmac('sha256', salt).update(`${secret}.${generation}`).digest('hex');
const textOf = (id: Id<'session'>, secret: string, { salt, generation }: BrowserSession): string =>
  `${id}.${secret}.${generation}.${proofOf(salt, secret, generation)}`;

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The first cookie of a session. */
export const newCookie = (id: Id<'session'>, epoch: number, now: number): NewCookie => {
  const [secret, salt] = [randomBase62(LENGTH), randomBase62(LENGTH)];
  const times = { replacedAt: now, latestEndsAt: now + BROWSER_TOKEN_MS };
  const browser = { epoch, secretHash: hashSecret(secret), salt, generation: 0, ...times, older: [] };
  return { text: textOf(id, secret, browser), browser };
};

/** A presented cookie. */
export interface PresentedCookie {
  readonly sessionId: Id<'session'>;
  readonly secret: string;
  readonly generation: number;
  readonly proof: string;
}

/** Parses a cookie's text; undefined if malformed. */
export const parseCookie = (text: string): PresentedCookie | undefined => {
  const [, id, secret = '', generation, proof = ''] = SHAPE.exec(text) ?? [];
  return id === undefined
    ? undefined
    : { sessionId: id as Id<'session'>, secret, generation: Number(generation), proof };
};

/**
 * Classifies a cookie. `current`: renews and is replaced. `just_replaced`: renews, and gets the cookie that replaced
 * it. `reused`: replaced over a minute ago, or twice, so two clients hold it. `foreign`: never belonged to this
 * session.
 */
export const judgeCookie = (
  { secret, generation, proof }: PresentedCookie,
  browser: BrowserSession,
  now: number,
): 'current' | 'just_replaced' | 'reused' | 'foreign' => {
  if (!isEqual(hashSecret(secret), browser.secretHash)) return 'foreign';
  if (generation > browser.generation || !isEqual(proof, proofOf(browser.salt, secret, generation))) return 'foreign';
  if (generation === browser.generation) return 'current';
  const isRecent = generation === browser.generation - 1 && now - browser.replacedAt <= COOKIE_GRACE_MS;
  return isRecent ? 'just_replaced' : 'reused';
};

/**
 * The cookie that follows a `current` one, or that replaced a `just_replaced` one: the same for every tab that renews.
 */
export const nextCookie = (
  { sessionId, secret, generation }: PresentedCookie,
  browser: BrowserSession,
  now: number,
): NewCookie => {
  const isCurrent = generation === browser.generation;
  const next = isCurrent ? { ...browser, generation: generation + 1, replacedAt: now } : browser;
  return { text: textOf(sessionId, secret, next), browser: next };
};

/** The name of an environment's cookie. `__Host-`: no other host, and no page without TLS, can set it. */
export const cookieName = (env: Environment): string => `__Host-session-${env}`;

/** The Set-Cookie header for `maxAgeMs`. */
export const setCookie = (env: Environment, text: string, maxAgeMs: number): string =>
  `${cookieName(env)}=${text}; Path=/; Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1000))}; HttpOnly; Secure; SameSite=Strict`;
