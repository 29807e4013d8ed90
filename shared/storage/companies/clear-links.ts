import type { Gone, SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { changedWrite } from '../contacts/changed-contacts.ts';
import { contactRows } from '../contacts/contacts.ts';
import { changesDue } from '../contacts/standing.ts';
import { sweepPartition } from '../contacts/sweep.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { companyRows } from './company-rows.ts';

const readLink = contactRows.pick('id', 'organizationId', 'companyId');

/**
 * Takes a deleted company from its contacts, with their roles in it, 25 in a transaction. Each on the condition that the contact still names it: who wrote the contact
 * meanwhile did so without it.
 */
export const unlinkContacts =
  (table: Table, clock: () => number) =>
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

const readMain = companyRows.pick('id', 'organizationId', 'contatoPrincipalId', 'createdAt');

/**
 * Has companies name the contact that their main one became, or none where it was deleted; each on the condition that it still names the one that is gone. A repeat
 * does no harm.
 */
export const replaceMainContact = (
  table: Table,
  organizationId: Id<'organization'>,
  from: Id<'contact'>,
  to: Id<'contact'> | undefined,
): Promise<SweepOutcome> => {
  const partition = INDEX_KEYS.companiesOfContact(from, '', '').gsi2pk;
  return sweepPartition(table, { index: 'gsi2', partition, only: ['pk', 'sk'] }, async (rows) => {
    const companies = rows
      .map(readMain)
      .filter((company) => company.organizationId === organizationId && company.contatoPrincipalId === from);
    const writes = companies.map(({ id, createdAt }): WriteOp => {
      const when = { text: '#contatoPrincipalId = :from', values: { from } };
      if (to === undefined)
        return {
          update: KEYS.company(id),
          remove: ['contatoPrincipalId', 'gsi2pk', 'gsi2sk'],
          add: { version: 1 },
          when,
        };
      const set = { contatoPrincipalId: to, ...INDEX_KEYS.companiesOfContact(to, isoTime(createdAt), id) };
      return { update: KEYS.company(id), set, add: { version: 1 }, when };
    });
    return writes.length === 0 || (await table.transact(writes)).ok ? 'done' : 'more';
  });
};
