import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { type Id, isId } from '../core/ids.ts';
import type { Page, PageRequest } from '../message/lists.ts';
import type { Card, CardFilter, CardPorts } from './card.ts';

type Ports = Pick<CardPorts, 'links' | 'store'>;
type Owner = Pick<Tenant, 'organizationId'>;

/** A page of the organization's cards, with links resolved: those of a stage in board order, others newest first. */
export const listCards = async (
  { store, links }: Ports,
  { organizationId }: Owner,
  filter: CardFilter,
  page: PageRequest,
): Promise<Page<Card>> => {
  const found = await store.page(organizationId, filter, page);
  return { ...found, items: await links.shown(organizationId, found.items) };
};

/** A page of the cards of a contact or a company; 404 if it is not the organization's. */
export const listCardsOf = async (
  ports: Ports,
  owner: Owner,
  of: { readonly contactId: Id<'contact'> } | { readonly companyId: Id<'company'> },
  page: PageRequest,
): Promise<Page<Card> | Refusal<'NOT_FOUND'>> => {
  const [contactId, companyId] = 'contactId' in of ? [of.contactId] : [undefined, of.companyId];
  const contatoId = contactId !== undefined && isId('contact', contactId) ? [contactId] : [];
  const empresaId = companyId !== undefined && isId('company', companyId) ? [companyId] : [];
  const ids = { contatoId, empresaId, responsavelId: [] };
  const existing = await ports.links.existing(owner.organizationId, ids);
  if (existing.size === 0)
    return refuse('NOT_FOUND', contactId === undefined ? 'There is no such company.' : 'There is no such contact.');
  return listCards(ports, owner, of, page);
};
