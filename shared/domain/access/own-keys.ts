import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { DomainEvent } from '../events/event.ts';
import { changeKey, type KeyChange, revokeKey } from './change-key.ts';
import type { PresentedCall } from './credentials.ts';
import { asCurrentCaller, type CallerPorts } from './current-caller.ts';
import { keysInForce, keyView } from './key-views.ts';
import { type ApiKey, createKey, type Grantor, type IssuedKey, type KeyRequest, type KeyStore } from './keys.ts';
import { rotateKey } from './rotate-key.ts';

/** Ports for managing the caller's own keys. */
export interface OwnKeysPorts extends CallerPorts {
  readonly store: KeyStore;
  /** Enqueues a committed event for early delivery; best effort. */
  readonly enqueueEvent: (event: DomainEvent) => void;
}

/** Runs a change with freshly read permissions. The list needs no second check since it reveals no secret. */
const asCallerNow = <T>(ports: OwnKeysPorts, call: PresentedCall, rule: (caller: Grantor, now: number) => Promise<T>) =>
  asCurrentCaller(ports, call, (caller) => rule(caller, ports.clock()));

/** The response that shows the secret, once; enqueues the event first. */
const withSecret = <R extends Refusal>({ clock, enqueueEvent }: OwnKeysPorts, issued: IssuedKey | R) => {
  if (isRefusal(issued)) return issued;
  enqueueEvent(issued.event);
  return { ...keyView(issued.key, clock()), key: issued.secret.text };
};

/** Creates a key in the caller's environment; it cannot hold scopes that the caller lacks. */
export const createOwnKey = async (ports: OwnKeysPorts, call: PresentedCall, request: KeyRequest) =>
  asCallerNow(ports, call, async (caller, now) =>
    withSecret(ports, await createKey(ports.store, caller, request, now)),
  );

/** Rotates a key of the caller's organization; the old secret keeps working for `overlapHours`. */
export const rotateOwnKey = async (
  ports: OwnKeysPorts,
  call: PresentedCall,
  request: { readonly id: Id<'apiKey'>; readonly overlapHours?: number | undefined },
) =>
  asCallerNow(ports, call, async (caller, now) =>
    withSecret(ports, await rotateKey(ports.store, caller, request, now)),
  );

/** Changes the name or addresses of a key of the caller's organization. */
export const changeOwnKey = async (
  ports: OwnKeysPorts,
  call: PresentedCall,
  change: KeyChange & { readonly id: Id<'apiKey'> },
) => asCallerNow(ports, call, (caller, now) => changeKey(ports.store, caller, change, now));

/**
 * Revokes a key of the caller's organization immediately, including old secrets, and the keys below it unless
 * `onlyThis`.
 */
export const revokeOwnKey = async (
  ports: OwnKeysPorts,
  call: PresentedCall,
  request: { readonly id: Id<'apiKey'>; readonly onlyThis: boolean },
) => asCallerNow(ports, call, (caller, now) => revokeKey(ports.store, caller, request, now));

/** A page of an organization's keys with inherited state, newest first. At most two round trips. */
export const listOwnKeys = async (
  { store }: Pick<OwnKeysPorts, 'store'>,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  page: { readonly limit: number; readonly skip: number },
): Promise<{ items: ApiKey[]; total: number }> => {
  const { items, total } = await store.list(organizationId, page);
  return { items: await keysInForce(store, items), total };
};
