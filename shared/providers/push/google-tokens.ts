import { createPrivateKey } from 'node:crypto';
import * as z from 'zod';
import type { RefusedAnswer } from '../../domain/messages/provider.ts';
import type { FcmCredentials } from '../../domain/push/credentials.ts';
import { callProvider, jsonOf, refusal, retryAfterSeconds } from '../http.ts';
import { signJwt } from './jwt.ts';
import { Kept, keyOf, type Made } from './kept.ts';
import type { PushIo } from './notification.ts';

/** Where Google gives out tokens, and whom an assertion is for. */
export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** What a service account may do with the token. */
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** How long an assertion is good, in seconds; an hour at most. */
const ASSERTION_SECONDS = 3_600;
/** A token is replaced so long before its end, in ms, that a send with it does not outlive it. */
const MARGIN_MS = 300_000;

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().int().positive() });
const denied = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

/** Carries a refusal out of what makes tokens. */
class Refused extends Error {
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
    // The documented audience, wherever the question goes: a stand-in gets the same assertion as Google.
    aud: GOOGLE_TOKEN_URL,
    iat: issued,
    exp: issued + ASSERTION_SECONDS,
  });
};

/**
 * Access tokens of service accounts, each asked for once and kept until shortly before its end (Using OAuth 2.0 for server to server
 * applications, developers.google.com/identity/protocols/oauth2/service-account).
 */
export class GoogleTokens {
  readonly #io: PushIo;
  readonly #url: string;
  readonly #kept = new Kept<string>();

  constructor(io: PushIo, url: string) {
    this.#io = io;
    this.#url = url;
  }

  /** A token, or why there is none. Whatever goes wrong here, no notification has left. */
  async get(account: FcmCredentials, timeoutMs: number): Promise<string | RefusedAnswer> {
    try {
      return await this.#kept.get(keyOf(account), this.#io.now(), () => this.#ask(account, timeoutMs));
    } catch (fault) {
      if (fault instanceof Refused) return fault.answer;
      throw fault;
    }
  }

  /** Forgets the token of an account, which was not taken. */
  async forget(account: FcmCredentials, token: string): Promise<void> {
    await this.#kept.forget(keyOf(account), token);
  }

  async #ask(account: FcmCredentials, timeoutMs: number): Promise<Made<string>> {
    const now = this.#io.now();
    const reply = await callProvider(this.#io, {
      url: this.#url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({ grant_type: GRANT, assertion: assertionOf(account, now) }).toString(),
      timeoutMs,
    });
    if (reply.kind !== 'answered') throw new Refused(refusal('unavailable', `google token: ${reply.detail}`));
    const token = reply.status === 200 ? jsonOf(granted, reply) : undefined;
    if (token) return { value: token.access_token, until: now + token.expires_in * 1000 - MARGIN_MS };
    const wait = retryAfterSeconds(reply.headers.get('retry-after'), now);
    const error = jsonOf(denied, reply)?.error;
    const detail = `google token: HTTP ${reply.status}${error ? ` ${error}` : ''}`;
    if (reply.status === 429) throw new Refused(refusal('throttled', detail, wait));
    const ours = (reply.status === 400 && error) || reply.status === 401 || reply.status === 403;
    throw new Refused(refusal(ours ? 'credentials' : 'unavailable', detail, wait));
  }
}
