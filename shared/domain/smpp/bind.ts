import { isInRanges } from '../access/ip-ranges.ts';
import type { Bucket } from '../access/rate-limits.ts';
import type { Id } from '../core/ids.ts';
import { pause } from '../core/pause.ts';
import type { Clock } from '../core/time.ts';
import type { SmppAccount, SmppAccountStore } from './account.ts';
import { isPassword } from './password.ts';
import { WATCH_MS, type WatchStore } from './watch.ts';

/** Failed binds of an address, whichever process they reach. */
export const BIND_ATTEMPTS: Bucket = { name: 'smpp_bind', perMinute: 10, burst: 10 };
/** How long an attempt is waited for, which binds that succeed at the same moment give back: tries, and ms between them. */
const ATTEMPT = { tries: 20, waitMs: 250 };

/** How long a bind counts after it was last kept (ms): those of a process that died count no more after that. */
export const BIND_LEASE_MS = 60_000;
/** How often a bind is to be kept (ms): what becomes of its account reaches it after that. */
export const KEEP_BIND_MS = 20_000;

/** One of the binds that an account may have, while it is held. */
export interface BindSlot {
  readonly accountId: Id<'smppAccount'>;
  /** From 0 to below `maxBinds`. */
  readonly slot: number;
  /** Of the connection: unique among all processes. */
  readonly bindId: string;
}

/** The binds of accounts, counted across processes. */
export interface BindStore {
  /** Takes a free slot until a moment (ms); undefined when none is free. A slot whose moment has passed is free. */
  take(
    accountId: Id<'smppAccount'>,
    maxBinds: number,
    bindId: string,
    times: { readonly now: number; readonly until: number },
  ): Promise<BindSlot | undefined>;
  /** Holds a slot until a later moment; false when it is another's by now. */
  keep(slot: BindSlot, until: number): Promise<boolean>;
  /** Frees a slot, unless it is another's by now. */
  free(slot: BindSlot): Promise<void>;
}

export interface BindPorts {
  readonly clock: Clock;
  readonly accounts: Pick<SmppAccountStore, 'find' | 'read'>;
  readonly binds: BindStore;
  /** Begins the hourly check for notices that wait, unless the account has it. */
  readonly watches: Pick<WatchStore, 'begin'>;
  /** Draws one of the attempts of an address; false when there is none. */
  readonly drawAttempt: (address: string) => Promise<boolean>;
  /** Puts back an attempt that did not fail. */
  readonly returnAttempt: (address: string) => Promise<void>;
}

/** A bind as its connection asks for it. */
export interface BindRequest {
  readonly systemId: string;
  readonly password: string;
  /** The address of the peer. */
  readonly address: string;
  readonly bindId: string;
}

/** Why there is no bind, as the command status that says so. */
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

/** Who binds, if the name, the address and the password are right. */
const identify = async ({ accounts }: BindPorts, { systemId, password, address }: BindRequest) => {
  const account = await accounts.find(systemId);
  if (!account) return 'ESME_RINVSYSID';
  if (!mayBindFrom(account, address)) return 'ESME_RBINDFAIL';
  return (await isPassword(password, account.passwordHash)) ? account : 'ESME_RINVPASWD';
};

/**
 * Binds an account (docs/spec/smpp.md#binds). An address that has failed too often is refused before anything is looked up; a bind that does
 * not fail by its credentials uses up none of its attempts.
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

/** A bind that goes on. */
export interface KeptBind {
  readonly organizationId: Id<'organization'>;
  readonly slot: BindSlot;
  readonly address: string;
}

/**
 * Keeps a bind, and answers its account as it is now. Undefined where the bind has to end: the account is gone, may have fewer binds, may no longer bind
 * from there, or the slot is another's, since it was not kept in time.
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
