import { type AuditActor, type AuditEntry, auditEntry, type Caller } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import { CHECK_AGAIN_MS, type SweepOutcome } from '../core/clear-links.ts';
import type { Refusal } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { removeOnce } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import { findContact } from './consent.ts';
import type { Contact, MergedContact } from './contact.ts';
import type { ContactLists, ContactPorts } from './ports.ts';

/** The number of erased objects besides the contact itself. */
export interface ErasedCounts {
  readonly messages: number;
  readonly received: number;
  readonly turns: number;
  readonly devices: number;
}
export type Erased = keyof ErasedCounts;

/** The background erasure of a deleted contact: the keys that find its data, and the counts of erased rows. */
export interface Erasure extends Tenant, ErasedCounts, Pick<MergedContact, 'emailHash' | 'number' | 'phoneHash'> {
  readonly contactId: Id<'contact'>;
  /** When the contact was deleted, in ms. */
  readonly at: number;
  readonly actor: AuditActor;
}

export interface ErasureStore {
  /** Deletes a contact if it is unchanged, frees its lookup keys, keeps its opt-outs, and starts its erasures. */
  delete(contact: Contact, erasures: readonly Erasure[], entry: AuditEntry): Promise<boolean>;
  read(id: Id<'contact'>): Promise<Erasure | undefined>;
  /** Schedules the erasure again for a time (ms). */
  reschedule(erasure: Erasure, at: number): Promise<void>;
  /** Ends the erasure with its audit entry, if nothing was erased since it was read. */
  finish(erasure: Erasure, entry: AuditEntry): Promise<boolean>;
}

export interface ErasurePorts {
  readonly clock: Clock;
  readonly store: ErasureStore;
  /** Removes a contact from lists and other structures. Idempotent; called before its data is erased. */
  readonly forget: ContactLists['forget'];
  /** Each erases a part of a person's data, a bounded number of rows per call, and counts them. Idempotent. */
  readonly sweeps: readonly ((erasure: Erasure) => Promise<SweepOutcome>)[];
  /** Enqueues the erasure. Best effort. */
  readonly enqueue: (erasure: Erasure) => void;
}

/** The erasures that a deletion starts: of the contact, and of each contact merged into it, which may have data of its own. */
const erasuresOf = (contact: Contact, caller: Caller, at: number): readonly Erasure[] => {
  const { organizationId, env, mergedContacts = [] } = contact;
  const { actor } = auditEntry(caller, { action: 'contact.deleted', object: contact.id, at });
  const none = { messages: 0, received: 0, turns: 0, devices: 0 };
  return [contact, ...mergedContacts].map(({ id: contactId, number, phoneHash, emailHash }) => ({
    contactId,
    organizationId,
    env,
    number,
    phoneHash,
    emailHash,
    at,
    actor,
    ...none,
  }));
};

/**
 * Deletes a contact: once this returns, no read shows it, and its phone and external id are free. The person's data is erased in the
 * background; opt-outs stay, as blind indexes (docs/spec/contacts.md#deleting-a-contact).
 */
export const deleteContact = async (
  ports: Pick<ErasurePorts, 'clock' | 'enqueue' | 'forget' | 'store'> & {
    readonly contacts: Pick<ContactPorts, 'store'>;
  },
  caller: Caller,
  id: Id<'contact'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> =>
  removeOnce(
    'The contact',
    () => findContact(ports.contacts, caller.organizationId, id),
    async (contact) => {
      const at = ports.clock();
      const erasures = erasuresOf(contact, caller, at);
      const entry = auditEntry(caller, { action: 'contact.deleted', object: id, at });
      const deleted = await ports.store.delete(contact, erasures, entry);
      if (!deleted) return false;
      for (const erasure of erasures) ports.enqueue(erasure);
      // So that list sizes are right once this returns; the erasure repeats it if it fails here.
      await ports.forget({ id, number: contact.number, organizationId: contact.organizationId }).catch(() => {});
      return true;
    },
  );

const erasedEntry = (
  { contactId, organizationId, actor, messages, received, turns, devices }: Erasure,
  at: number,
): AuditEntry => ({
  id: newId('auditEntry'),
  owner: organizationId,
  at,
  actor,
  action: 'contact.erased',
  object: contactId,
  details: { erased: { messages, received, turns, devices } },
});

/**
 * Continues the erasure of a deleted contact. Ends when a pass that started after all in-flight work finds nothing; idempotent, and safe to
 * interrupt anywhere.
 */
export const eraseContact = async (ports: ErasurePorts, id: Id<'contact'>): Promise<void> => {
  const startedAt = ports.clock();
  const erasure = await ports.store.read(id);
  if (!erasure) return;
  await ports.forget({ id, number: erasure.number, organizationId: erasure.organizationId });
  const outcomes: SweepOutcome[] = [];
  for (const sweep of ports.sweeps) outcomes.push(await sweep(erasure));
  if (outcomes.includes('more')) {
    await ports.store.reschedule(erasure, ports.clock());
    ports.enqueue(erasure);
    return;
  }
  const isLast = startedAt >= erasure.at + CHECK_AGAIN_MS;
  const after = await ports.store.read(id);
  if (!after) return;
  const isOver =
    isLast && !outcomes.includes('later') && (await ports.store.finish(after, erasedEntry(after, startedAt)));
  if (!isOver) await ports.store.reschedule(after, Math.max(startedAt, erasure.at) + CHECK_AGAIN_MS);
};
