import { SCOPES, type Scope } from '../core/scopes.ts';

/** A person's roles in an organization, narrowest first: each includes the one before. */
export const ROLES = ['viewer', 'support', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The roles of accounts: those of an organization, and `operator` of the stage, which only the operator's command line grants. */
export const ACCOUNT_ROLES = [...ROLES, 'operator'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/**
 * The scopes of an operator: the stage's queues, work, providers and organizations, and its own sessions. The role is outside the ladder above:
 * an operator has no access to the data of an organization, and no role of an organization has an operator's scopes.
 */
export const OPERATOR_SCOPES: readonly Scope[] = ['operator:read', 'operator:write', 'accounts:read'];

/**
 * The scopes that each role adds to the one before it: every scope once (docs/spec/access.md#roles). Developers may
 * send, because a key grants no more than its creator holds, and keys that cannot send are useless.
 */
export const ADDED_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: [
    'sms:read',
    'email:read',
    'rcs:read',
    'push:read',
    'messages:read',
    'contacts:read',
    'crm:read',
    'campaigns:read',
    'senders:read',
    'templates:read',
    'numbers:read',
    'flows:read',
    'webhooks:read',
    'wallet:read',
    'organization:read',
    'accounts:read',
  ],
  support: ['messages:manage', 'webhooks:replay'],
  developer: [
    'keys:read',
    'keys:write',
    'webhooks:write',
    'templates:write',
    'sms:send',
    'email:send',
    'rcs:send',
    'push:send',
    'messages:send',
  ],
  admin: [
    'contacts:write',
    'contacts:pii',
    'pii:full',
    'crm:write',
    'crm:delete',
    'campaigns:write',
    'senders:write',
    'numbers:write',
    'flows:write',
    'organization:write',
    'accounts:write',
    'audit:read',
  ],
  owner: ['wallet:write'],
};

const SCOPES_OF = new Map<AccountRole, ReadonlySet<Scope>>([['operator', new Set(OPERATOR_SCOPES)]]);
for (const [at, role] of ROLES.entries())
  SCOPES_OF.set(role, new Set(ROLES.slice(0, at + 1).flatMap((each) => ADDED_SCOPES[each])));

/** Every scope of a role. */
export const scopesOfRole = (role: AccountRole): ReadonlySet<Scope> => SCOPES_OF.get(role) ?? new Set();

/**
 * The scopes of a role that a credential lacks: with any missing, it can neither grant the role nor change an account
 * that has it. A key lacks the session-only scopes, so it grants no role above developer.
 */
export const missingForRole = (held: ReadonlySet<Scope>, role: AccountRole): readonly Scope[] =>
  SCOPES.filter((scope) => scopesOfRole(role).has(scope) && !held.has(scope));
