import type { Contact, ContactSource, OptInStatus } from '../contacts/contact.ts';
import { fittingContacts } from '../contacts/views.ts';
import type { Id } from '../core/ids.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import { isFound, parseSearch, type Search } from './grams.ts';
import { NumberSet } from './number-set.ts';
import {
  type AudienceIndex,
  allOf,
  baseSelection,
  numbersSelection,
  type Selection,
  searchSelection,
  treeSelection,
  updatedSelection,
} from './selection.ts';

/** Filters of a list of contacts; an absent field does not filter. */
export interface ContactFilter {
  readonly tag?: string | undefined;
  readonly optInStatus?: OptInStatus | undefined;
  readonly source?: ContactSource | undefined;
  readonly externalId?: string | undefined;
  readonly listId?: Id<'list'> | undefined;
  readonly q?: string | undefined;
  /** ms. */
  readonly updatedSince?: number | undefined;
}

/** Ports of the list of contacts. */
export interface ContactListPorts {
  readonly index: AudienceIndex;
  /** A page of all contacts of the organization, newest first. */
  newest(organizationId: Id<'organization'>, page: PageRequest): Promise<Page<Contact>>;
  /** The contact with a caller's own id. */
  withExternalId(organizationId: Id<'organization'>, externalId: string): Promise<Contact | undefined>;
  /** The numbers of the contacts of a static list; undefined when there is no such list. */
  membersOf(organizationId: Id<'organization'>, listId: Id<'list'>): Promise<NumberSet | undefined>;
  /** Makes blind indexes of trigrams, with an organization's own key. */
  readonly gramIndex: () => Promise<(organizationId: Id<'organization'>, gram: string) => number>;
}

/** Up to this many search results from the index are compared with the search text itself, so that their total is exact. */
const VERIFIED = 500;

const selectionsOf = async (
  ports: ContactListPorts,
  organizationId: Id<'organization'>,
  { tag, optInStatus, source, updatedSince, listId }: ContactFilter,
  search: Search | undefined,
): Promise<Selection[]> => {
  const indexOf = search && (await ports.gramIndex());
  const members = listId === undefined ? undefined : await ports.membersOf(organizationId, listId);
  return [
    ...(tag === undefined
      ? []
      : [treeSelection({ kind: 'leaf', filter: { field: 'tag', operator: 'is', value: tag } }, 0)]),
    ...(optInStatus === undefined && source === undefined ? [] : [baseSelection(optInStatus, source)]),
    ...(updatedSince === undefined ? [] : [updatedSelection(updatedSince)]),
    // A list that does not exist has no members.
    ...(listId === undefined ? [] : [numbersSelection(members ?? NumberSet.EMPTY)]),
    ...(search && indexOf ? [searchSelection(search, (gram) => indexOf(organizationId, gram))] : []),
  ];
};

/** A page of the contacts that match all filters, newest first, however large. */
const matching = async (
  ports: ContactListPorts,
  organizationId: Id<'organization'>,
  filter: ContactFilter,
  page: PageRequest,
): Promise<Page<Contact>> => {
  const search = filter.q === undefined ? undefined : parseSearch(filter.q);
  const selections = await selectionsOf(ports, organizationId, filter, search);
  const [first, ...others] = selections;
  if (filter.externalId !== undefined) {
    const contact = await ports.withExternalId(organizationId, filter.externalId);
    const items = contact && selections.every(({ holds }) => holds(contact)) ? [contact] : [];
    return { items: items.slice(page.skip, page.skip + page.limit), total: items.length };
  }
  if (!first) return ports.newest(organizationId, page);
  const found = await ports.index.find(organizationId, allOf([first, ...others]));
  const total = found.count;
  const requested = search !== undefined && total <= VERIFIED ? { skip: 0, limit: VERIFIED } : page;
  const contacts = await ports.index.contacts(organizationId, await found.numbers(requested));
  if (!search) return { items: contacts, total };
  const items = contacts.filter((contact) => isFound(search, contact));
  return requested === page
    ? { items, total }
    : { items: items.slice(page.skip, page.skip + page.limit), total: items.length };
};

/**
 * A page of an organization's contacts, newest first, that match all filters; shorter if they would not fit into one response. For a search
 * with more than 500 results, the total may count contacts that contain the search trigrams in different places; the items are always exact
 * (docs/spec/contacts.md#lists-of-contacts).
 */
export const listContacts = async (
  ports: ContactListPorts,
  organizationId: Id<'organization'>,
  filter: ContactFilter,
  page: PageRequest,
): Promise<Page<Contact>> => {
  const { items, total } = await matching(ports, organizationId, filter, page);
  return { items: fittingContacts(items), total };
};
