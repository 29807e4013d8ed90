import type { Environment } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Clock } from '../core/time.ts';
import { authenticate, type Caller, type CredentialReader, type PresentedCall } from './credentials.ts';

/** Ports to authenticate a caller again. */
export interface CallerPorts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly credentials: CredentialReader;
}

/**
 * Runs a rule with freshly read permissions of the caller: the gateway caches authorization for up to 30 s, during
 * which a revoked key or a demoted person could otherwise still grant permissions. One or two reads.
 */
export const asCurrentCaller = async <T>(
  { env, clock, credentials }: CallerPorts,
  { authorization, request }: PresentedCall,
  rule: (caller: Caller) => Promise<T>,
): Promise<T | Refusal<'UNAUTHORIZED'>> => {
  const caller = await authenticate(authorization, { env, now: clock(), credentials });
  return caller ? rule({ ...caller, request }) : refuse('UNAUTHORIZED', 'The credential is no longer valid.');
};
