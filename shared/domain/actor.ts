import type { Scope } from './access/scopes.ts';
import type { Id } from './ids.ts';

/** The two environments; the credential alone decides which (interface, part 1). */
export const ENVIRONMENTS = ['live', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Who calls: taken from the credential, never from the request. */
export interface Actor {
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  /** The API key's or the session's id. */
  readonly credentialId: string;
  readonly kind: 'key' | 'session';
  /** The person behind a session. */
  readonly accountId?: Id<'account'>;
  readonly scopes: ReadonlySet<Scope>;
}
