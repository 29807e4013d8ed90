import { isInRanges } from '../access/ip-ranges.ts';
import type { Bucket } from '../access/rate-limits.ts';
import type { Id } from '../core/ids.ts';
import { pause } from '../core/pause.ts';
import type { Clock } from '../core/time.ts';
import type { SmppAccount, SmppAccountStore } from './account.ts';
import { isPassword } from './password.ts';
import { WATCH_MS, type WatchStore } from './watch.ts';

/** Failed binds of an address, across all processes. */
export const BIND_ATTEMPTS: Bucket = { name: 'smpp_bind', perMinute: 10, burst: 10 };
/** How long to wait for an attempt, since concurrent successful binds return theirs: tries, and ms between them. */
const ATTEMPT = { tries: 20, waitMs: 250 };

/** The lease of a bind (ms): binds of a crashed process stop counting after it. */
export const BIND_LEASE_MS = 60_000;
/** How often a bind's lease is renewed (ms): changes of its account take effect within that time. */
export const KEEP_BIND_MS = 20_000;

/** One of the binds that an account may have, while it is held. */
export interface BindSlot {
  readonly accountId: Id<'smppAccount'>;
  /** From 0 to below `maxBinds`. */
  readonly slot: number;
  /** The connection's id, unique among all processes. */
  readonly bindId: string;
}

/** The binds of accounts, counted across processes. */
export interface BindStore {
  /** Leases a free slot until a moment (ms); undefined if none is free. A slot with an expired lease is free. */
  take(
    accountId: Id<'smppAccount'>,
    maxBinds: number,
    bindId: string,
    times: { readonly now: number; readonly until: number },
  ): Promise<BindSlot | undefined>;
  /** Extends the lease of a slot; false if another bind has taken it. */
  keep(slot: BindSlot, until: number): Promise<boolean>;
  /** Frees a slot, unless another bind has taken it. */
  free(slot: BindSlot): Promise<void>;
}

export interface BindPorts {
  readonly clock: Clock;
  readonly accounts: Pick<SmppAccountStore, 'find' | 'read'>;
  readonly binds: BindStore;
  /** Starts the hourly check for waiting notices, unless the account has one. */
  readonly watches: Pick<WatchStore, 'begin'>;
  /** Draws one of the attempts of an address; false if there is none. */
  readonly drawAttempt: (address: string) => Promise<boolean>;
  /** Returns an attempt that did not fail. */
  readonly returnAttempt: (address: string) => Promise<void>;
}

/** A connection's bind request. */
export interface BindRequest {
  readonly systemId: string;
  readonly password: string;
  /** The address of the peer. */
  readonly address: string;
  readonly bindId: string;
}

/** The reason of a refused bind, as its command status. */
export type BindRefusal = 'ESME_RINVSYSID' | 'ESME_RINVPASWD' | 'ESME_RBINDFAIL';
export type BindOutcome =
  | { readonly kind: 'bound'; readonly account: SmppAccount; readonly slot: BindSlot }
  | { readonly kind: 'refused'; readonly status: BindRefusal };

const refused = (status: BindRefusal): BindOutcome => ({ kind: 'refused', status });

const mayBindFrom = ({ allowedIps }: SmppAccount, address: string): boolean =>
  allowedIps === undefined || isInRanges(allowedIps, address);

const drawAttempt = async ({ drawAttempt: draw }: BindPorts, address: string): Promise<boolean> => {
  for (let attempt = 1; ; attempt++) {
    if (await draw(address)) return true;
    if (attempt === ATTEMPT.tries) return false;
    await pause(ATTEMPT.waitMs);
  }
};

/** The account, if the name, the address and the password are right. */
const identify = async ({ accounts }: BindPorts, { systemId, password, address }: BindRequest) => {
  const account = await accounts.find(systemId);
  if (!account) return 'ESME_RINVSYSID';
  if (!mayBindFrom(account, address)) return 'ESME_RBINDFAIL';
  return (await isPassword(password, account.passwordHash)) ? account : 'ESME_RINVPASWD';
};

/**
 * Binds an account (docs/spec/smpp.md#binds). An address with too many failures is refused before anything is read; a bind with valid
 * credentials uses up none of its attempts.
 */
export const bind = async (ports: BindPorts, request: BindRequest): Promise<BindOutcome> => {
  if (!(await drawAttempt(ports, request.address))) return refused('ESME_RBINDFAIL');
  const account = await identify(ports, request);
  if (typeof account === 'string') return refused(account);
  const now = ports.clock();
  const times = { now, until: now + BIND_LEASE_MS };
  const [slot] = await Promise.all([
    ports.binds.take(account.id, account.maxBinds, request.bindId, times),
    ports.returnAttempt(request.address),
    ports.watches.begin({ accountId: account.id, organizationId: account.organizationId, dueAt: now + WATCH_MS }),
  ]);
  return slot ? { kind: 'bound', account, slot } : refused('ESME_RBINDFAIL');
};

/** A renewed bind. */
export interface KeptBind {
  readonly organizationId: Id<'organization'>;
  readonly slot: BindSlot;
  readonly address: string;
}

/**
 * Renews a bind, and returns its current account. Undefined if the bind has to end: the account was deleted, has a lower limit, no longer
 * allows the address, or the lease expired and another bind has the slot.
 */
export const keepBind = async (
  { clock, accounts, binds }: BindPorts,
  { organizationId, slot, address }: KeptBind,
): Promise<SmppAccount | undefined> => {
  const account = await accounts.read(organizationId, slot.accountId);
  const mayStay = account && slot.slot < account.maxBinds && mayBindFrom(account, address);
  if (mayStay) return (await binds.keep(slot, clock() + BIND_LEASE_MS)) ? account : undefined;
  await binds.free(slot);
  return undefined;
};
