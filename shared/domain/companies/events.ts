import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import type { CompanyCounts } from './company.ts';

type Subject = Tenant & { readonly id: Id<'company'> };

const companyEvent = (
  type: 'company.created' | 'company.deleted' | 'company.updated',
  { id: companyId, organizationId, env }: Subject,
  now: number,
  data: Readonly<Record<string, unknown>> = {},
): DomainEvent => newEvent({ type, organizationId, env, createdAt: now, data: { companyId, ...data } });

export const createdEvent = (company: Subject, now: number): DomainEvent =>
  companyEvent('company.created', company, now);

/** Lists the changed fields; their values are free text. */
export const updatedEvent = (company: Subject, fields: readonly string[], now: number): DomainEvent =>
  companyEvent('company.updated', company, now, { campos: fields });

export const deletedEvent = (company: Subject, { contacts, cards }: CompanyCounts, now: number): DomainEvent =>
  companyEvent('company.deleted', company, now, {
    contatosDesvinculados: contacts,
    cartoesDesvinculados: cards,
  });
