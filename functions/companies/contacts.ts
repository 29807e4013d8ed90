import { listCompanyContacts as contract } from '../../shared/contracts/companies.ts';
import { findCompany } from '../../shared/domain/companies/companies.ts';
import { contactView, fittingContacts } from '../../shared/domain/contacts/views.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { companyPorts, contactsOfCompany } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const found = await findCompany(companyPorts, actor, params.id);
    if (isRefusal(found)) return found;
    const items = fittingContacts(await contactsOfCompany(found.company, query));
    return { items, total: found.counts.contacts };
  },
  itemsAs(contactView),
);
