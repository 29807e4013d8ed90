import { SCOPES, type Scope } from '../core/scopes.ts';

/** What a person is in an organization, from the narrowest on: each may do what the one before may. */
export const ROLES = ['viewer', 'support', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The scopes that each role adds to the one before it: every scope once (docs/spec/access.md#roles). Developers send, because a key grants
 * no more than its maker holds, and keys that cannot send are of no use.
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

const SCOPES_OF = new Map<Role, ReadonlySet<Scope>>();
for (const [at, role] of ROLES.entries())
  SCOPES_OF.set(role, new Set(ROLES.slice(0, at + 1).flatMap((each) => ADDED_SCOPES[each])));

/** Every scope of a role. */
export const scopesOfRole = (role: Role): ReadonlySet<Scope> => SCOPES_OF.get(role) ?? new Set();

/**
 * The scopes of a role that a credential lacks: who lacks any neither grants the role nor changes one who has it. A key lacks what only a
 * person may hold, so that it grants no role above developer.
 */
export const missingForRole = (held: ReadonlySet<Scope>, role: Role): readonly Scope[] =>
  SCOPES.filter((scope) => scopesOfRole(role).has(scope) && !held.has(scope));
