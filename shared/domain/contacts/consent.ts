import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse, Unavailable } from '../errors.ts';
import type { Contact, OptIn } from './contact.ts';
import { contactEvent } from './events.ts';
import type { ContactPorts } from './ports.ts';

/** Tries against a contact that moves at the same time. */
const TRIES = 8;

/** A contact of the caller's organization. Another's answers 404, exactly as one that never was. */
export const findContact = async (
  { store }: Pick<ContactPorts, 'store'>,
  organizationId: string,
  id: string,
): Promise<Contact | Refusal<'NOT_FOUND'>> => {
  const contact = await store.read(id);
  return contact?.organizationId === organizationId ? contact : refuse('NOT_FOUND', 'There is no such contact.');
};

type Holder = Pick<Actor, 'organizationId'>;
interface ConsentChange {
  readonly status: 'denied' | 'granted';
  readonly next: (now: OptIn, at: number) => OptIn;
  readonly event?: 'contact.opted_out';
}

/** Changes consent once: a contact that stands so already is answered as it is, without another event. */
const changeConsent = async (
  { clock, store }: Pick<ContactPorts, 'clock' | 'store'>,
  { organizationId }: Holder,
  id: string,
  change: ConsentChange,
) => {
  for (let turn = 0; turn < TRIES; turn++) {
    const before = await findContact({ store }, organizationId, id);
    if (isRefusal(before)) return before;
    if (before.optIn.status === change.status) return before;
    const at = clock();
    const after: Contact = {
      ...before,
      optIn: change.next(before.optIn, at),
      updatedAt: at,
      version: before.version + 1,
    };
    const event = change.event && contactEvent(change.event, after, at);
    if (await store.changeConsent(before, after, event)) return after;
  }
  throw new Unavailable('The contact moved at every try.');
};

type Ports = Pick<ContactPorts, 'clock' | 'store'>;
type Changed = Promise<Contact | Refusal<'NOT_FOUND'>>;

/**
 * Withdraws consent on every channel, from the moment it is answered: a send that is reserved after it is refused. The proof of an
 * earlier opt-in stays. Raises contact.opted_out, once; a repeat changes nothing, not even the reason.
 */
export const optOutContact = (
  ports: Ports,
  actor: Holder,
  id: string,
  { reason }: { reason?: string | undefined },
): Changed =>
  changeConsent(ports, actor, id, {
    status: 'denied',
    next: (now, at) => ({ ...now, status: 'denied', revokedAt: at, revokedReason: reason }),
    event: 'contact.opted_out',
  });

/** What proves an opt-in. */
export interface OptInProof {
  readonly source: string;
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * Records consent with its proof, in the place of an earlier withdrawal, the contact's or its recipients' own: whoever opts in is
 * written to again, also where its address was unsubscribed while the contact stood as granted. A repeat keeps the first proof.
 */
export const optInContact = async (
  ports: Ports,
  actor: Holder,
  id: string,
  { source, ip, userAgent }: OptInProof,
): Changed => {
  const asked = ports.clock();
  const contact = await changeConsent(ports, actor, id, {
    status: 'granted',
    next: (_, at) => ({ status: 'granted', source, at, ip, userAgent }),
  });
  if (!isRefusal(contact)) await ports.store.liftOptOuts(contact, asked);
  return contact;
};
