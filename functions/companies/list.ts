import { listCompanies as contract } from '../../shared/contracts/companies.ts';
import { listCompanies } from '../../shared/domain/companies/list.ts';
import { companyItemView } from '../../shared/domain/companies/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { companies } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, ...filter } }) =>
    listCompanies(companies, actor.organizationId, filter, { limit, skip }),
  itemsAs(companyItemView),
);
