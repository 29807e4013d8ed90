import { type AuditEntry, operatorEntry } from '../../shared/domain/audit/entry.ts';
import type { Id } from '../../shared/domain/core/ids.ts';

/** An act of the operator on an organization, for set-up that is not audited. */
export const operatorAct = (organizationId: Id<'organization'>): AuditEntry =>
  operatorEntry(organizationId, { action: 'organization.changed', object: organizationId, at: Date.now() });
