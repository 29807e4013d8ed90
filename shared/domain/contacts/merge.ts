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

/** The record that a contact was merged into another: kept until that one is erased, and due while links may still have to be moved. */
export interface Merge extends Tenant {
  readonly contactId: Id<'contact'>;
  /** The contact's number, which lists contain. */
  readonly number: number;
  /** The contact that it was merged into, which may have been merged into a third since. */
  readonly into: Id<'contact'>;
  /** ms. */
  readonly at: number;
}

/** Both contacts as read, and the merged one. */
export interface MergeChange {
  readonly target: Contact;
  readonly duplicate: Contact;
  readonly merged: Contact;
}

export interface MergeStore {
  /** Merges two contacts that are unchanged since they were read, with all their lookup keys. `stale`: one of them changed since. */
  merge(
    change: MergeChange,
    merge: Merge,
    entry: AuditEntry,
    events: readonly DomainEvent[],
  ): Promise<'merged' | 'stale' | 'unknown_company'>;
  read(id: Id<'contact'>): Promise<Merge | undefined>;
  /**
   * The contact that another was merged into, directly or indirectly; the contact itself if it exists, undefined once the surviving one is
   * erased.
   */
  heirOf(id: Id<'contact'>): Promise<Contact | undefined>;
  /** Schedules the merge again for a time (ms). */
  reschedule(merge: Merge, at: number): Promise<void>;
  /** Lets the redirect of the duplicate expire, since nothing links to it any more at `now` (ms). */
  forgetDuplicate(merge: Merge, now: number): Promise<void>;
  /** Ends the background work of a merge; the merge record stays. */
  finish(merge: Merge): Promise<void>;
}

/** Moves a bounded number of links from a contact to the surviving one per call. Idempotent. */
export type MoveTraces = (from: Id<'contact'>, to: Contact) => Promise<SweepOutcome>;

export interface MergePorts {
  readonly clock: Clock;
  readonly contacts: Pick<ContactPorts, 'documents' | 'store'>;
  readonly store: MergeStore;
  readonly lists: Pick<ContactLists, 'replace'>;
  readonly sweeps: readonly MoveTraces[];
  /** Enqueues the merge's background work. Best effort. */
  readonly enqueue: (merge: Merge) => void;
}

type MergeRefusal = Refusal<'NOT_FOUND' | 'VALIDATION_ERROR'>;

const eventsOf = ({ target, duplicate, merged }: MergeChange, now: number): readonly DomainEvent[] => [
  mergedEvent(merged, duplicate.id, now),
  ...(merged.optIn.status === 'denied' && target.optIn.status !== 'denied'
    ? [contactEvent('contact.opted_out', merged, now)]
    : []),
];

/** Merges two contacts; a company that was or is being deleted is not carried over. */
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
  // So that list membership is right once this returns; the background work repeats it if it fails here.
  await ports.lists.replace(duplicate, target).catch(() => {});
  return merged;
};

/**
 * Merges a duplicate into a contact, in one transaction: once this returns there is one contact, found by both phones. Links to the
 * duplicate are moved in the background. A repeat returns the contact as it is. 404 if either is not the organization's, 422 for a contact
 * and itself, and if both together exceed a contact's limits (docs/spec/contacts.md#merging-duplicates).
 */
export const mergeContacts = (
  ports: Pick<MergePorts, 'clock' | 'contacts' | 'enqueue' | 'lists' | 'store'>,
  caller: Caller,
  id: Id<'contact'>,
  duplicateId: Id<'contact'>,
): Promise<Contact | MergeRefusal> =>
  retryOnConflict<Contact | MergeRefusal>('One of the contacts', async () => {
    if (id === duplicateId)
      return refuseField('A contact cannot be a duplicate of itself.', 'contactId', 'is the contact');
    // Read first: once it is gone, the contact is as the merge left it.
    const duplicate = await findContact(ports.contacts, caller.organizationId, duplicateId);
    const target = await findContact(ports.contacts, caller.organizationId, id);
    if (isRefusal(target)) return target;
    if (!isRefusal(duplicate)) return mergeBoth(ports, caller, target, duplicate);
    return (await ports.store.read(duplicateId))?.into === id ? target : duplicate;
  });

/** The refusal for a missing contact; for a merged one it names the surviving contact. */
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
 * When a merge searches again for links to the duplicate, in ms after it: for work in flight, for events not yet processed, and for
 * messages of batches scheduled up to 90 days ahead.
 */
export const PASSES_MS = [15 * 60_000, DAY_MS, 100 * DAY_MS] as const;

/**
 * Moves the links of a merged contact to the surviving one, and searches again for later ones. Idempotent, and safe to interrupt anywhere.
 * Nothing is moved to an erased contact; its erasure also covers contacts that were merged into it.
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
  if (startedAt >= merge.at + PASSES_MS[0]) await ports.store.forgetDuplicate(merge, startedAt);
  const next = PASSES_MS.map((ms) => merge.at + ms).find((at) => at > startedAt);
  return next === undefined ? ports.store.finish(merge) : ports.store.reschedule(merge, next);
};
