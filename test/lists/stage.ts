import { randomBytes } from 'node:crypto';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { createList } from '../../shared/domain/lists/lists.ts';
import { editMembers } from '../../shared/domain/lists/members.ts';
import type { Edit, Identifiers, ListPorts, MemberPorts } from '../../shared/domain/lists/ports.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { listStore } from '../../shared/storage/lists/lists.ts';
import { memberStore } from '../../shared/storage/lists/members.ts';
import { accepted } from '../support/accepted.ts';

type Org = Id<'organization'>;
/** A contact as the rows have it by which it is found. */
export interface Person {
  readonly id: Id<'contact'>;
  readonly number: number;
  readonly externalId: string;
  readonly phone: string;
}

/** A blind index that is easy to read. */
const blindIndex = (organizationId: string, kind: string, text: string) => `${organizationId}-${kind}-${text}`;

/** The rules of lists over a table, with a clock of the test's. `patienceMs`: how long a call that meets others is tried again. */
export const listsOver = (table: Table, clock = () => 1_000, patienceMs = 30_000) => {
  const patience = () => {
    const until = performance.now() + patienceMs;
    return () => performance.now() < until;
  };
  const phoneIndex = async () => ({ blindIndex });
  const ports: ListPorts & MemberPorts = {
    clock,
    store: listStore(table, clock),
    members: memberStore(table, clock, phoneIndex, patience),
  };
  return {
    table,
    clock,
    ports,
    create: async (organizationId: Org, name = randomBytes(6).toString('hex')) =>
      accepted(await createList(ports, { organizationId }, { name })).id,
    edit: (organizationId: Org, id: Id<'list'>, edit: Edit, identifiers: Identifiers) =>
      editMembers(ports, { organizationId }, id, edit, identifiers),
  };
};
export type Lists = ReturnType<typeof listsOver>;

export const newOrganization = async (table: Table): Promise<Tenant & { readonly organizationId: Org }> => {
  const organizationId = newId('organization');
  await table.write(organizationWrite({ id: organizationId, name: 'Loja Azul', createdAt: 0 }));
  return { organizationId, env: 'test' };
};

const rowsOf = (org: Org, { id, number, externalId, phone }: Person) => [
  { ...KEYS.contact(id), id, org, number },
  { ...KEYS.externalId(org, externalId), contactId: id, number, org },
  { ...KEYS.phone(org, blindIndex(org, 'phone', phone)), org, contactId: id, contactNumber: number },
];

/** Contacts of an organization with these numbers. */
export const addPeople = async (table: Table, org: Org, numbers: readonly number[]): Promise<Person[]> => {
  const people = numbers.map((number) => ({
    id: newId('contact'),
    number,
    externalId: `loja:${number}`,
    phone: `+5511${String(900_000_000 + number)}`,
  }));
  await table.putMany(people.flatMap((person) => rowsOf(org, person)));
  return people;
};

/** Takes a contact's rows away, as its deletion does before it is taken out of lists. */
export const deletePerson = async (table: Table, org: Org, person: Person): Promise<void> => {
  for (const { pk, sk } of rowsOf(org, person)) await table.write({ delete: { pk, sk } });
};
