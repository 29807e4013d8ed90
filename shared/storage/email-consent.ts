import { KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';

/** Forbids what an address opted out of. */
export const emailConsent = (organizationId: string, hash: string): WriteOp => ({
  check: KEYS.phone(organizationId, hash),
  when: { text: 'attribute_not_exists(#pk)' },
});
