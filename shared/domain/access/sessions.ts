import type { Environment } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { SCOPES } from '../core/scopes.ts';
import type { Account } from './accounts.ts';
import type { Credential } from './credentials.ts';
import { type NewSecret, newSecret } from './secrets.ts';

/** Lifetime of a session, in ms: a working day. */
export const SESSION_MS = 12 * 3600 * 1000;

/** A new session; the secret's text is shown once. */
export interface NewSession {
  readonly credential: Credential & { readonly expiresAt: number };
  readonly secret: NewSecret;
}

/**
 * Creates a session for a person in one environment, with every scope, session-only ones included. CONFLICT if the account is not active.
 */
export const newSession = (account: Account, env: Environment, now: number): NewSession | Refusal<'CONFLICT'> => {
  if (account.status !== 'active')
    return refuse('CONFLICT', `The account is ${account.status}: only an active account opens a session.`);
  const credential = {
    id: newId('session'),
    organizationId: account.organizationId,
    env,
    kind: 'session',
    scopes: SCOPES,
    accountId: account.id,
    expiresAt: now + SESSION_MS,
  } as const;
  return { credential, secret: newSecret('session', env) };
};
