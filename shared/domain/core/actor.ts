import type { Id } from './ids.ts';
import type { Scope } from './scopes.ts';

/** The two environments. The credential alone decides which one a call is in (docs/spec/platform.md#environments). */
export const ENVIRONMENTS = ['live', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The owner of a row or a call: an organization in one environment. */
export interface Tenant {
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
}

/** The authenticated caller, derived from the credential and never from the request. */
export interface Actor extends Tenant {
  /** The id of the API key or session. */
  readonly credentialId: Id<'apiKey'> | Id<'session'>;
  readonly kind: 'key' | 'session';
  /** Only for sessions: the person's account. */
  readonly accountId?: Id<'account'>;
  /** Only for sessions: the person's name. Personal data: never logged. */
  readonly accountName?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The addresses and CIDR blocks that it may call from; absent means any. */
  readonly allowedIps?: readonly string[];
  /** The HTTP request of the call; absent outside of HTTP. */
  readonly request?: RequestOrigin | undefined;
}

/** Id and client address of an HTTP request. */
export interface RequestOrigin {
  readonly id: string;
  /** The address of the caller, IPv4 or IPv6. */
  readonly ip: string;
}

/** On whose behalf a message is made: the tenant, and the person where a session made it. */
export type Caller = Tenant & Pick<Actor, 'accountId' | 'accountName'>;
