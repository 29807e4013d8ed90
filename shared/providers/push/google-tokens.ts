import { createPrivateKey } from 'node:crypto';
import * as z from 'zod';
import type { FcmCredentials } from '../../domain/channels/push/credentials.ts';
import type { RefusedAnswer } from '../../domain/message/provider-port.ts';
import { callProvider, jsonOf, refusal, retryAfterSeconds } from '../http.ts';
import { signJwt } from './jwt.ts';
import type { PushIo } from './notification.ts';
import { type CacheEntry, cacheKeyOf, SingleFlightCache } from './single-flight-cache.ts';

/** Google's token endpoint, which is also the audience of an assertion. */
export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Lifetime of an assertion, in seconds; one hour at most. */
const ASSERTION_SECONDS = 3_600;
/** A token is renewed this long before it expires, in ms, so that it does not expire during a send. */
const EXPIRY_MARGIN_MS = 300_000;

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().int().positive() });
const denied = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

/** Carries a refusal out of the cache's callback. */
class TokenRefused extends Error {
  readonly answer: RefusedAnswer;
  constructor(answer: RefusedAnswer) {
    super(answer.detail);
    this.answer = answer;
  }
}

const assertionOf = (account: FcmCredentials, now: number): string => {
  const issued = Math.floor(now / 1000);
  const { private_key_id: kid, client_email: iss } = account;
  return signJwt('RS256', createPrivateKey(account.private_key), kid === undefined ? {} : { kid }, {
    iss,
    scope: SCOPE,
    // Always the documented audience, so that a stand-in receives the same assertion as Google.
    aud: GOOGLE_TOKEN_URL,
    iat: issued,
    exp: issued + ASSERTION_SECONDS,
  });
};

/**
 * Access tokens of service accounts, cached until shortly before they expire (Using OAuth 2.0 for server to server applications,
 * developers.google.com/identity/protocols/oauth2/service-account).
 */
export class GoogleTokens {
  readonly #io: PushIo;
  readonly #url: string;
  readonly #cache = new SingleFlightCache<string>();

  constructor(io: PushIo, url: string) {
    this.#io = io;
    this.#url = url;
  }

  /** A token, or a refusal: without a token no notification was sent. */
  async get(account: FcmCredentials, timeoutMs: number): Promise<string | RefusedAnswer> {
    try {
      return await this.#cache.get(cacheKeyOf(account), this.#io.now(), () => this.#requestToken(account, timeoutMs));
    } catch (fault) {
      if (fault instanceof TokenRefused) return fault.answer;
      throw fault;
    }
  }

  /** Drops a token that FCM rejected. */
  async forget(account: FcmCredentials, token: string): Promise<void> {
    await this.#cache.forget(cacheKeyOf(account), token);
  }

  async #requestToken(account: FcmCredentials, timeoutMs: number): Promise<CacheEntry<string>> {
    const now = this.#io.now();
    const reply = await callProvider(this.#io, {
      url: this.#url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ grant_type: GRANT, assertion: assertionOf(account, now) }).toString(),
      timeoutMs,
    });
    if (reply.kind !== 'answered') throw new TokenRefused(refusal('unavailable', `google token: ${reply.detail}`));
    const token = reply.status === 200 ? jsonOf(granted, reply) : undefined;
    if (token) return { value: token.access_token, until: now + token.expires_in * 1000 - EXPIRY_MARGIN_MS };
    const retryAfter = retryAfterSeconds(reply.headers.get('retry-after'), now);
    const error = jsonOf(denied, reply)?.error;
    const detail = `google token: HTTP ${reply.status}${error ? ` ${error}` : ''}`;
    if (reply.status === 429) throw new TokenRefused(refusal('throttled', detail, retryAfter));
    const isRejectedAssertion = (reply.status === 400 && error) || reply.status === 401 || reply.status === 403;
    throw new TokenRefused(refusal(isRejectedAssertion ? 'credentials' : 'unavailable', detail, retryAfter));
  }
}
