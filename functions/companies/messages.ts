import { listCompanyMessages as contract } from '../../shared/contracts/companies.ts';
import { findCompany } from '../../shared/domain/companies/companies.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { storedView } from '../../shared/domain/tracking/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { companyPorts, messagesOfDays } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const found = await findCompany(companyPorts, actor, params.id);
    return isRefusal(found) ? found : { items: await messagesOfDays(found.company, query) };
  },
  itemsAs(storedView),
);
