import { randomBytes } from 'node:crypto';
import { type AccountStatus, newAccount } from '../../shared/domain/access/accounts.ts';
import type { AuditAction } from '../../shared/domain/audit/entry.ts';
import type { CompanyPorts } from '../../shared/domain/companies/company.ts';
import type { CompanyImportPorts } from '../../shared/domain/companies/import.ts';
import { createContact, type NewContact } from '../../shared/domain/contacts/create.ts';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { parseCnpj } from '../../shared/domain/core/documents.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { accountRow, activeAccounts } from '../../shared/storage/access/accounts.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { newestAudit } from '../../shared/storage/audit/audit-log.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { companySource } from '../../shared/storage/companies/company-list.ts';
import { companyStore } from '../../shared/storage/companies/company-store.ts';
import { definitionStore } from '../../shared/storage/companies/definitions.ts';
import { companyDirectory } from '../../shared/storage/companies/directory.ts';
import { companyImportStore } from '../../shared/storage/companies/import-store.ts';
import { accepted } from './accepted.ts';
import { contactPortsOf } from './contacts.ts';
import type { World } from './world.ts';

const weighted = (digits: string): number => {
  const sum = [...digits].reduce((total, character, at) => {
    const weight = 2 + ((digits.length - 1 - at) % 8);
    return total + (character.charCodeAt(0) - 48) * weight;
  }, 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
};

/** A CNPJ with right check digits, another one for each number; with letters for odd ones. */
export const validCnpj = (number: number): string => {
  const base = (number % 2 === 1 ? 'AB' : '11') + number.toString(10).padStart(10, '0');
  const first = `${base}${weighted(base)}`;
  const whole = `${first}${weighted(first)}`;
  if (parseCnpj(whole) !== whole) throw new Error('no CNPJ');
  return whole;
};

/** The ports of companies in one process, over a table. */
export const companyProcess = (
  table: Table,
  clock: () => number,
  raised: (events: readonly DomainEvent[]) => void = () => {},
) => {
  const directory = companyDirectory(table, clock);
  const ports: CompanyPorts = {
    clock,
    store: companyStore(table, { raised, deleted: () => {} }),
    accounts: { activeOf: (organizationId, ids) => activeAccounts(table, organizationId, ids) },
    definitions: definitionStore(table, directory),
  };
  const importPorts: CompanyImportPorts = { clock, store: companyImportStore(table, directory, raised, () => {}) };
  return { directory, ports, importPorts, source: companySource(table, directory) };
};

let people = 0;
/** Companies over a world's table, and what they may name. */
export const companiesOf = (world: World) => {
  const raised: Id<'event'>[] = [];
  const vault = createVault(randomBytes(32));
  const contacts = contactPortsOf(world, vault);
  return {
    ...companyProcess(
      world.table,
      () => world.now,
      (events) => void raised.push(...events.map(({ id }) => id)),
    ),
    raised,
    contacts,
    async account({ organizationId }: Tenant, status: AccountStatus): Promise<Id<'account'>> {
      const email = `p${people++}@example.com`;
      const fields = { organizationId, name: 'Ana', email, emailHash: email, role: 'support' as const, status };
      const account = newAccount(fields, world.now);
      await world.table.write({ put: accountRow(account) });
      return account.id;
    },
    async suspend(id: Id<'account'>): Promise<void> {
      await world.table.write({ update: KEYS.account(id), set: { status: 'suspended' } });
    },
    async contact(owner: Tenant, body: Partial<NewContact> = {}) {
      const phone = `+551198${String(1_000_000 + people++)}`;
      return accepted(await createContact(contacts, owner, { phone, ...body }));
    },
    auditOf: ({ organizationId }: Tenant, action: AuditAction) =>
      newestAudit(world.table, organizationId, { action }, { limit: 100, now: world.now }),
  };
};
