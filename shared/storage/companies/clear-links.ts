import { updatedEvent } from '../../domain/companies/events.ts';
import type { Gone, SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { type Clock, isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { changedWrite } from '../contacts/changed-contacts.ts';
import { contactRows } from '../contacts/contacts.ts';
import { changesDue } from '../contacts/standing.ts';
import { sweepPartition } from '../contacts/sweep.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { companyRows } from './company-rows.ts';

const readLink = contactRows.pick('id', 'organizationId', 'companyId');

/**
 * Removes a deleted company from its contacts, with their roles in it, 25 per transaction. Condition for each: the contact still links to
 * it; a concurrent writer of the contact has already removed the link.
 */
export const unlinkContacts =
  (table: Table, clock: Clock) =>
  async ({ organizationId, id }: Gone): Promise<SweepOutcome> => {
    const companyId = id as Id<'company'>;
    const changes = await changesDue(table, organizationId);
    const partition = INDEX_KEYS.contactsOfCompany(companyId, '', '').gsi3pk;
    return sweepPartition(table, { index: 'gsi3', partition, only: ['pk', 'sk'] }, async (rows) => {
      const now = clock();
      const contacts = rows.map(readLink).filter((contact) => contact.companyId === companyId);
      const writes = contacts.flatMap((contact): WriteOp[] => [
        {
          update: KEYS.contact(contact.id),
          set: { updatedAt: isoTime(now) },
          remove: ['companyId', 'papelNaEmpresa', 'gsi3pk', 'gsi3sk'],
          add: { version: 1 },
          when: { text: '#companyId = :companyId', values: { companyId } },
        },
        changedWrite({ id: contact.id, organizationId, updatedAt: now }, changes),
      ]);
      return writes.length === 0 || (await table.transact(writes)).ok ? 'done' : 'more';
    });
  };

const readMain = companyRows.pick('id', 'organizationId', 'env', 'contatoPrincipalId', 'createdAt', 'updatedAt');
type Main = ReturnType<typeof readMain>;

interface MainContactPorts {
  readonly clock: Clock;
  /** Receives committed events, to publish them early; it may lose them. */
  readonly raised: (events: readonly DomainEvent[]) => void;
}

/** Condition: the company still links to the deleted contact. */
const renameMain = (
  { id, createdAt }: Main,
  from: Id<'contact'>,
  to: Id<'contact'> | undefined,
  now: number,
): WriteOp => {
  const own = {
    update: KEYS.company(id),
    add: { version: 1 },
    when: { text: '#contatoPrincipalId = :from', values: { from } },
  };
  const set = companyRows.set({ updatedAt: now });
  return to === undefined
    ? { ...own, set, remove: ['contatoPrincipalId', 'gsi2pk', 'gsi2sk'] }
    : { ...own, set: { ...set, contatoPrincipalId: to, ...INDEX_KEYS.companiesOfContact(to, isoTime(createdAt), id) } };
};

/**
 * Replaces a company's main contact by the one that it was merged into, or removes it if it was deleted, and raises company.updated for
 * each company, once. A repeat is harmless.
 */
export const replaceMainContact = (
  table: Table,
  { clock, raised }: MainContactPorts,
  organizationId: Id<'organization'>,
  from: Id<'contact'>,
  to: Id<'contact'> | undefined,
): Promise<SweepOutcome> => {
  const partition = INDEX_KEYS.companiesOfContact(from, '', '').gsi2pk;
  return sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, async (rows) => {
    const companies = rows
      .map(readMain)
      .filter((company) => company.organizationId === organizationId && company.contatoPrincipalId === from);
    const changes = companies.map((company) => ({ company, now: Math.max(clock(), company.updatedAt + 1) }));
    const all = changes.map(({ company, now }) => updatedEvent(company, ['contatoPrincipalId'], now));
    const events = all.length === 0 ? [] : await takenEvents(table, organizationId, all);
    const writes = changes.map(({ company, now }) => renameMain(company, from, to, now));
    if (writes.length > 0 && !(await table.transact([...writes, ...events.map(eventWrite)])).ok) return 'more';
    raised(events);
    return 'done';
  });
};
