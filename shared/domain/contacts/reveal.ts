import { type AuditEntry, auditEntry } from '../audit/entry.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { findContact } from './consent.ts';
import { clearDocuments, type DocumentName, hasDocuments } from './documents.ts';
import type { ContactPorts } from './ports.ts';

export interface RevealPorts extends Pick<ContactPorts, 'clock' | 'documents' | 'store'> {
  /** Draws from a person's reveals per minute; 429 if they are used up. */
  readonly admit: (actor: Actor) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
  /** Stores the audit entry if the contact exists; false if it is gone. */
  readonly enter: (id: Id<'contact'>, entry: AuditEntry) => Promise<boolean>;
}

const GONE = refuse('NOT_FOUND', 'There is no such contact.');

/**
 * A contact's documents in plain text. The audit entry is stored first; without it nothing is revealed (docs/spec/contacts.md#documents).
 */
export const revealDocuments = async (
  ports: RevealPorts,
  actor: Actor,
  id: Id<'contact'>,
): Promise<Partial<Record<DocumentName, string>> | Refusal<'NOT_FOUND' | 'RATE_LIMITED'>> => {
  const limited = await ports.admit(actor);
  if (limited) return limited;
  const contact = await findContact(ports, actor.organizationId, id);
  if (isRefusal(contact) || !hasDocuments(contact)) return isRefusal(contact) ? contact : {};
  const shown = clearDocuments(await ports.documents(), contact);
  const details = { fields: Object.keys(shown) };
  const entry = auditEntry(actor, { action: 'contact.documents_revealed', object: id, at: ports.clock(), details });
  return (await ports.enter(id, entry)) ? shown : GONE;
};
