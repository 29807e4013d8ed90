import { type AuditEntry, auditEntry, type Caller } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import type { SweepOutcome } from '../core/clear-links.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { refuseField } from '../core/refuse-field.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import { findContact } from './consent.ts';
import type { Contact } from './contact.ts';
import { contactEvent, mergedEvent } from './events.ts';
import { mergedContact } from './merged.ts';
import type { ContactLists, ContactPorts } from './ports.ts';

/** That a contact was merged into another: kept until that one is erased, and due while what it left behind may still have to follow. */
export interface Merge extends Tenant {
  readonly contactId: Id<'contact'>;
  /** The contact's number, by which lists have it. */
  readonly number: number;
  /** The contact that it was merged into, which may have been merged into a third since. */
  readonly into: Id<'contact'>;
  /** ms. */
  readonly at: number;
}

/** Both contacts as they were read, and the one that is left of them. */
export interface MergeChange {
  readonly target: Contact;
  readonly duplicate: Contact;
  readonly merged: Contact;
}

export interface MergeStore {
  /** Makes one contact of two that are as they were read, with all that finds them. `stale`: one of them changed since. */
  merge(
    change: MergeChange,
    merge: Merge,
    entry: AuditEntry,
    events: readonly DomainEvent[],
  ): Promise<'merged' | 'stale' | 'unknown_company'>;
  read(id: Id<'contact'>): Promise<Merge | undefined>;
  /** The contact that another was merged into, directly or over others; the contact itself while it is there, undefined once its last is erased. */
  heirOf(id: Id<'contact'>): Promise<Contact | undefined>;
  /** Makes the merge due again at a time (ms). */
  reschedule(merge: Merge, at: number): Promise<void>;
  /** Has what tells reads that the duplicate became the other end, since nothing names it any more at `now` (ms). */
  forgetDuplicate(merge: Merge, now: number): Promise<void>;
  /** Ends the work that a merge left, not the merge. */
  finish(merge: Merge): Promise<void>;
}

/** Moves a part of what names a contact to its heir, a bounded number of rows each. Idempotent. */
export type MoveTraces = (from: Id<'contact'>, to: Contact) => Promise<SweepOutcome>;

export interface MergePorts {
  readonly clock: Clock;
  readonly contacts: Pick<ContactPorts, 'documents' | 'store'>;
  readonly store: MergeStore;
  readonly lists: Pick<ContactLists, 'replace'>;
  readonly sweeps: readonly MoveTraces[];
  /** Hands the merge to a worker. Best effort. */
  readonly enqueue: (merge: Merge) => void;
}

type MergeRefusal = Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>;

const eventsOf = ({ target, duplicate, merged }: MergeChange, now: number): readonly DomainEvent[] => [
  mergedEvent(merged, duplicate.id, now),
  ...(merged.optIn.status === 'denied' && target.optIn.status !== 'denied'
    ? [contactEvent('contact.opted_out', merged, now)]
    : []),
];

/** Merges two contacts as they are; one whose company was deleted meanwhile, or is being, brings none. */
const mergeBoth = async (
  ports: Pick<MergePorts, 'clock' | 'contacts' | 'enqueue' | 'lists' | 'store'>,
  caller: Caller,
  target: Contact,
  duplicate: Contact,
): Promise<Contact | Refusal<'VALIDATION_ERROR'> | typeof CONFLICT> => {
  const at = ports.clock();
  const merged = await mergedContact(ports.contacts.documents, target, duplicate, at);
  if (isRefusal(merged)) return merged;
  const { id: contactId, number, organizationId, env } = duplicate;
  const change = { target, duplicate, merged };
  const merge: Merge = { contactId, number, organizationId, env, into: target.id, at };
  const details = { mergedContactId: contactId };
  const entry = auditEntry(caller, { action: 'contact.merged', object: target.id, at, details });
  const outcome = await ports.store.merge(change, merge, entry, eventsOf(change, at));
  if (outcome === 'unknown_company') {
    const { companyId: _, papelNaEmpresa: __, ...rest } = duplicate;
    return mergeBoth(ports, caller, target, rest);
  }
  if (outcome === 'stale') return CONFLICT;
  ports.enqueue(merge);
  // So that its lists are right with the answer; what fails here the merge does again.
  await ports.lists.replace(duplicate, target).catch(() => {});
  return merged;
};

/**
 * Merges a duplicate into a contact, in one transaction: from the answer on there is one contact, whom both phones lead to. What names the duplicate
 * follows in the background. A repeat answers the contact as it is. 404 where either is none of the organization's, 422 for a contact and itself, and
 * where both together have more than a contact may (docs/spec/contacts.md#merging-duplicates).
 */
export const mergeContacts = (
  ports: Pick<MergePorts, 'clock' | 'contacts' | 'enqueue' | 'lists' | 'store'>,
  caller: Caller,
  id: Id<'contact'>,
  duplicateId: Id<'contact'>,
): Promise<Contact | MergeRefusal> =>
  retryOnConflict<Contact | MergeRefusal>('One of the contacts', async () => {
    if (id === duplicateId) return refuseField('A contact is no duplicate of itself.', 'contactId', 'is the contact');
    // Read first: once it is gone, the contact is as the merge made it.
    const duplicate = await findContact(ports.contacts, caller.organizationId, duplicateId);
    const target = await findContact(ports.contacts, caller.organizationId, id);
    if (isRefusal(target)) return target;
    if (!isRefusal(duplicate)) return mergeBoth(ports, caller, target, duplicate);
    return (await ports.store.read(duplicateId))?.into === id ? target : duplicate;
  });

/** The refusal for a contact that is not there; for one that was merged it names the contact to ask for in its place. */
export const findMerged = async (
  ports: { readonly contacts: Pick<ContactPorts, 'store'>; readonly store: Pick<MergeStore, 'read'> },
  organizationId: Id<'organization'>,
  id: Id<'contact'>,
): Promise<Contact | Refusal<'NOT_FOUND'>> => {
  const contact = await findContact(ports.contacts, organizationId, id);
  const merge = isRefusal(contact) ? await ports.store.read(id) : undefined;
  if (merge?.organizationId !== organizationId) return contact;
  return refuse('NOT_FOUND', { detail: 'The contact was merged into another.', meta: { mergedInto: merge.into } });
};

const DAY_MS = 24 * 3_600_000;
/**
 * When a merge looks again for what names the duplicate, in ms after it: for what was on its way then, for what an event was about to name, and for
 * messages of batches that were scheduled, up to 90 days ahead.
 */
export const LOOKS_MS = [15 * 60_000, DAY_MS, 100 * DAY_MS] as const;

/**
 * Moves what names a merged contact to its heir, and looks again for what comes later. Safe to repeat, and to stop anywhere; nothing moves to a contact
 * that is erased, whose erasure looks for the traces of those that were merged into it, too.
 */
export const moveMerged = async (ports: MergePorts, id: Id<'contact'>): Promise<void> => {
  const startedAt = ports.clock();
  const merge = await ports.store.read(id);
  if (!merge) return;
  const heir = await ports.store.heirOf(merge.into);
  if (!heir) return ports.store.finish(merge);
  await ports.lists.replace(merge, heir);
  const outcomes: SweepOutcome[] = [];
  for (const sweep of ports.sweeps) outcomes.push(await sweep(id, heir));
  if (outcomes.includes('more')) {
    await ports.store.reschedule(merge, ports.clock());
    return ports.enqueue(merge);
  }
  if (startedAt >= merge.at + LOOKS_MS[0]) await ports.store.forgetDuplicate(merge, startedAt);
  const next = LOOKS_MS.map((ms) => merge.at + ms).find((at) => at > startedAt);
  return next === undefined ? ports.store.finish(merge) : ports.store.reschedule(merge, next);
};
