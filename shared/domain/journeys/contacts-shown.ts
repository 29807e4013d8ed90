import type { Caller } from '../audit/entry.ts';
import type { Contact } from '../contacts/contact.ts';
import { shownContact } from '../contacts/shown-contact.ts';
import type { Actor } from '../core/actor.ts';
import { definedFields } from '../core/patch.ts';
import { isSameValue } from '../core/same-value.ts';
import type { WireStep } from './definition.ts';

/**
 * How much of a contact the webhook steps of a version post, least first: its id, the contact with masked addresses, or everything. Limited
 * to what the author of the steps may see (docs/spec/journeys.md#what-webhook-steps-show).
 */
export const CONTACTS_SHOWN = ['id', 'masked', 'full'] as const;
export type ContactsShown = (typeof CONTACTS_SHOWN)[number];

/** The author of a journey: an actor whose actions are audited, with scopes. */
export type Author = Caller & Pick<Actor, 'scopes'>;

/** How much of contacts a caller may see. */
export const shownTo = ({ scopes }: Pick<Actor, 'scopes'>): ContactsShown => {
  if (!scopes.has('contacts:read')) return 'id';
  return scopes.has('pii:full') ? 'full' : 'masked';
};

const endpoints = (steps: readonly WireStep[]): ReadonlyMap<string, unknown> =>
  new Map(steps.flatMap(({ chave, tipo, config }) => (tipo === 'webhook' ? [[chave, config] as const] : [])));

/** Whether some webhook step posts to another address than before, or with other headers, which may also select the receiver. */
const postsElsewhere = (before: readonly WireStep[], after: readonly WireStep[]): boolean => {
  const known = endpoints(before);
  return [...endpoints(after)].some(([key, config]) => !isSameValue(config, known.get(key)));
};

/**
 * How much a version shows after a caller's change of its steps: what the caller may see, if that is more, or if it posts elsewhere.
 * Unchanged if the change doesn't include the steps, or if a caller who sees less keeps all addresses.
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
