import type { Caller } from '../audit/entry.ts';
import type { Contact } from '../contacts/contact.ts';
import { shownContact } from '../contacts/shown-contact.ts';
import type { Actor } from '../core/actor.ts';
import { definedFields } from '../core/patch.ts';
import { isSameValue } from '../core/same-value.ts';
import type { WireStep } from './definition.ts';

/**
 * How much of a contact the webhook steps of a version post, from the least: its id, the contact with masked addresses, all of it. As much as who chose where
 * they post may see (docs/spec/journeys.md#what-webhook-steps-show).
 */
export const CONTACTS_SHOWN = ['id', 'masked', 'full'] as const;
export type ContactsShown = (typeof CONTACTS_SHOWN)[number];

/** Who defines journeys: an actor whose acts are entered, and who may see so much. */
export type Author = Caller & Pick<Actor, 'scopes'>;

/** What a caller may see of contacts. */
export const shownTo = ({ scopes }: Pick<Actor, 'scopes'>): ContactsShown => {
  if (!scopes.has('contacts:read')) return 'id';
  return scopes.has('pii:full') ? 'full' : 'masked';
};

const endpoints = (steps: readonly WireStep[]): ReadonlyMap<string, unknown> =>
  new Map(steps.flatMap(({ chave, tipo, config }) => (tipo === 'webhook' ? [[chave, config] as const] : [])));

/** Whether some webhook step posts where the one of its key did not, or with other headers, which may choose the receiver as well. */
const postsElsewhere = (before: readonly WireStep[], after: readonly WireStep[]): boolean => {
  const known = endpoints(before);
  return [...endpoints(after)].some(([key, config]) => !isSameValue(config, known.get(key)));
};

/**
 * What a version shows after a change of its steps by a caller: what the caller may see, where that is more, or where it posts elsewhere. A change that does not
 * send the steps leaves it as it is, and so does one by a caller who sees less and leaves all addresses as they are.
 */
export const shownAfter = (
  before: ContactsShown = 'id',
  caller: Pick<Actor, 'scopes'>,
  { was, given }: { readonly was: readonly WireStep[]; readonly given: readonly WireStep[] | undefined },
): ContactsShown => {
  if (given === undefined) return before;
  const own = shownTo(caller);
  const isMore = CONTACTS_SHOWN.indexOf(own) > CONTACTS_SHOWN.indexOf(before);
  return isMore || postsElsewhere(was, given) ? own : before;
};

/** A contact as a webhook step posts it. */
export const postedContact = (contact: Contact, shown: ContactsShown = 'id') => {
  const {
    id,
    name: nome,
    phone: telefone,
    email,
    externalId,
    tags,
    attributes: atributos,
  } = shownContact(contact, shown === 'full');
  return shown === 'id' ? { id } : definedFields({ id, nome, telefone, email, externalId, tags, atributos });
};
