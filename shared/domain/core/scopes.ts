/** Every permission of a credential (docs/spec/access.md#scopes). */
export const SCOPES = [
  'sms:read',
  'sms:send',
  'email:read',
  'email:send',
  'rcs:read',
  'rcs:send',
  'push:read',
  'push:send',
  'messages:read',
  'messages:send',
  'contacts:read',
  'contacts:write',
  'contacts:pii',
  'pii:full',
  'crm:read',
  'crm:write',
  'crm:delete',
  'campaigns:read',
  'campaigns:write',
  'senders:read',
  'senders:write',
  'templates:read',
  'templates:write',
  'numbers:read',
  'numbers:write',
  'flows:read',
  'flows:write',
  'webhooks:read',
  'webhooks:write',
  'wallet:read',
  'wallet:write',
  'keys:read',
  'keys:write',
  'audit:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes that only a person's session may hold, never an API key (docs/spec/access.md#session-only-scopes). */
export const SESSION_ONLY_SCOPES: ReadonlySet<Scope> = new Set(['contacts:pii']);

export const isScope = (value: string): value is Scope => (SCOPES as readonly string[]).includes(value);
