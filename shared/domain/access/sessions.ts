import type { Environment } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Account } from './accounts.ts';
import type { Credential } from './credentials.ts';
import { SCOPES } from './scopes.ts';
import { type NewSecret, newSecret } from './secrets.ts';

/** How long a session lasts, in ms: a working day. */
export const SESSION_MS = 12 * 3600 * 1000;

/** A session at its birth; the secret's text is shown once. */
export interface NewSession {
  readonly credential: Credential & { readonly expiresAt: number };
  readonly secret: NewSecret;
}

/**
 * Opens a session of a person in one environment: every scope, those that no key may hold included.
 * CONFLICT for an account that is not active.
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
