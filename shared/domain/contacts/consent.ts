import type { Actor } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Contact, OptIn } from './contact.ts';
import { contactEvent } from './events.ts';
import type { ContactPorts } from './ports.ts';

/** Reads a contact of the caller's organization; another organization's answers 404 as if it didn't exist. */
export const findContact = async (
  { store }: Pick<ContactPorts, 'store'>,
  organizationId: Id<'organization'>,
  id: Id<'contact'>,
): Promise<Contact | Refusal<'NOT_FOUND'>> => {
  const contact = await store.read(id);
  return contact?.organizationId === organizationId ? contact : refuse('NOT_FOUND', 'There is no such contact.');
};

/** Whether a contact gave its consent after `at` (ms). */
export const consentsSince = ({ optIn }: Contact, at: number): boolean =>
  optIn.status === 'granted' && optIn.at !== undefined && optIn.at > at;

/** Whether an opt-out at `at` (ms) changes a contact: not if it is already opted out, or consented later. */
export const wouldOptOut = (contact: Contact, at: number): boolean =>
  contact.optIn.status !== 'denied' && !consentsSince(contact, at);

type Owner = Pick<Actor, 'organizationId'>;
interface ConsentChange {
  readonly next: (now: OptIn, at: number) => OptIn;
  readonly event?: 'contact.opted_out';
  /** Whether the contact stays as it is. */
  readonly keeps: (contact: Contact) => boolean | Promise<boolean>;
}

/** Changes consent idempotently: a contact that keeps its consent is returned unchanged, without another event. */
const changeConsent = (
  { clock, store }: Pick<ContactPorts, 'clock' | 'store'>,
  { organizationId }: Owner,
  id: Id<'contact'>,
  change: ConsentChange,
) =>
  retryOnConflict('The contact', async () => {
    const before = await findContact({ store }, organizationId, id);
    if (isRefusal(before)) return before;
    if (await change.keeps(before)) return before;
    const at = clock();
    const after: Contact = {
      ...before,
      optIn: change.next(before.optIn, at),
      updatedAt: at,
      version: before.version + 1,
    };
    const event = change.event && contactEvent(change.event, after, at);
    return (await store.changeConsent(before, after, event)) ? after : CONFLICT;
  });

type Ports = Pick<ContactPorts, 'clock' | 'store'>;
type Changed = Promise<Contact | Refusal<'NOT_FOUND'>>;

/**
 * Withdraws consent on every channel. Effective once this returns: any send reserved afterwards is refused. The proof of an earlier opt-in
 * is kept. Raises contact.opted_out once; a repeat changes nothing, not even the reason (docs/spec/contacts.md#consent). `at`: when it was
 * withdrawn (ms), now by default; a contact that was created or opted in after that is left alone.
 */
export const optOutContact = (
  ports: Ports,
  actor: Owner,
  id: Id<'contact'>,
  { reason, at: withdrawnAt }: { readonly reason?: string | undefined; readonly at?: number | undefined },
): Changed =>
  changeConsent(ports, actor, id, {
    next: (now, at) => ({ ...now, status: 'denied', revokedAt: withdrawnAt ?? at, revokedReason: reason }),
    event: 'contact.opted_out',
    keeps: (contact) =>
      withdrawnAt === undefined
        ? contact.optIn.status === 'denied'
        : contact.createdAt > withdrawnAt || !wouldOptOut(contact, withdrawnAt),
  });

export type OptInProof = Pick<OptIn, 'ip' | 'userAgent'> & { readonly source: string };

/**
 * Whether a contact's opt-in is newer than every withdrawal. If not, its address unsubscribed and the contact is yet to be opted out: an
 * opt-in is then no repeat, and its time keeps the late opt-out away.
 */
const isNewestConsent = async ({ store }: Pick<ContactPorts, 'store'>, contact: Contact): Promise<boolean> => {
  if (contact.optIn.status !== 'granted') return false;
  const withdrawnAt = await store.unsubscribedAt(contact);
  return withdrawnAt === undefined || consentsSince(contact, withdrawnAt);
};

/**
 * Records consent with its proof. Overrides an earlier withdrawal, whether recorded on the contact or on its addresses (e.g. an
 * unsubscribed e-mail address of a contact whose status stayed granted). A repeat keeps the first proof (docs/spec/contacts.md#consent).
 */
export const optInContact = async (
  ports: Ports,
  actor: Owner,
  id: Id<'contact'>,
  { source, ip, userAgent }: OptInProof,
): Changed => {
  const requestedAt = ports.clock();
  const contact = await changeConsent(ports, actor, id, {
    next: (_, at) => ({ status: 'granted', source, at, ip, userAgent }),
    keeps: (contact) => isNewestConsent(ports, contact),
  });
  if (!isRefusal(contact)) await ports.store.clearOptOuts(contact, requestedAt);
  return contact;
};
