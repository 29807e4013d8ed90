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
  'messages:manage',
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
  'webhooks:replay',
  'wallet:read',
  'wallet:write',
  'keys:read',
  'keys:write',
  'audit:read',
  'organization:read',
  'organization:write',
  'accounts:read',
  'accounts:write',
  'operator:read',
  'operator:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes that only a person's session may hold, never an API key (docs/spec/access.md#session-only-scopes). */
export const SESSION_ONLY_SCOPES: ReadonlySet<Scope> = new Set(['contacts:pii', 'operator:read', 'operator:write']);

/** The wider scope that includes a scope: a holder of `messages:send` may do what needs `messages:manage`. */
export const WIDER_SCOPE: Readonly<Partial<Record<Scope, Scope>>> = {
  'messages:manage': 'messages:send',
  'webhooks:replay': 'webhooks:write',
};

/** The scopes and those that they include: what the holder may do. */
export const withNarrowerScopes = (scopes: readonly Scope[]): ReadonlySet<Scope> => {
  const held = new Set(scopes);
  for (const [narrower, wider] of Object.entries(WIDER_SCOPE)) if (held.has(wider)) held.add(narrower as Scope);
  return held;
};

export const isScope = (value: string): value is Scope => (SCOPES as readonly string[]).includes(value);
