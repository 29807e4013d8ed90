import type { Environment } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import { authenticate, type CredentialReader } from './credentials.ts';
import {
  createKey,
  type Grantor,
  type IssuedKey,
  type KeyRequest,
  type KeyStore,
  keyView,
  revokeKey,
  rotateKey,
} from './keys.ts';

/** Ports for managing the caller's own keys. */
export interface OwnKeysPorts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly credentials: CredentialReader;
  readonly store: KeyStore;
  /** Enqueues a committed event for early delivery; best effort. */
  readonly enqueueEvent: (id: DomainEvent['id']) => void;
}

/**
 * Re-authenticates the caller before a change: the gateway caches its verdict for up to 60 s, during which a revoked key could otherwise
 * create a new one. One or two reads. The list needs no second check since it reveals no secret.
 */
const asCallerNow = async <T>(
  { env, clock, credentials }: OwnKeysPorts,
  authorization: string | undefined,
  rule: (caller: Grantor, now: number) => Promise<T>,
): Promise<T | Refusal<'UNAUTHORIZED'>> => {
  const now = clock();
  const caller = await authenticate(authorization, { env, now, credentials });
  return caller ? rule(caller, now) : refuse('UNAUTHORIZED', 'The credential is no longer valid.');
};

/** The response that shows the secret, once; enqueues the event first. */
const withSecret = <R extends Refusal>({ clock, enqueueEvent }: OwnKeysPorts, issued: IssuedKey | R) => {
  if (isRefusal(issued)) return issued;
  enqueueEvent(issued.event.id);
  return { ...keyView(issued.key, clock()), key: issued.secret.text };
};

/** Creates a key in the caller's environment; it cannot hold scopes that the caller lacks. */
export const createOwnKey = async (ports: OwnKeysPorts, authorization: string | undefined, request: KeyRequest) =>
  asCallerNow(ports, authorization, async (caller, now) =>
    withSecret(ports, await createKey(ports.store, caller, request, now)),
  );

/** Rotates a key of the caller's organization; the old secret keeps working for `overlapHours`. */
export const rotateOwnKey = async (
  ports: OwnKeysPorts,
  authorization: string | undefined,
  request: { readonly id: Id<'apiKey'>; readonly overlapHours?: number | undefined },
) =>
  asCallerNow(ports, authorization, async (caller, now) =>
    withSecret(ports, await rotateKey(ports.store, caller, request, now)),
  );

/** Revokes a key of the caller's organization at once, old secrets included. */
export const revokeOwnKey = async (ports: OwnKeysPorts, authorization: string | undefined, id: Id<'apiKey'>) =>
  asCallerNow(ports, authorization, (caller, now) => revokeKey(ports.store, caller, id, now));
