import { changeCompany as contract } from '../../shared/contracts/companies.ts';
import { changeCompany } from '../../shared/domain/companies/companies.ts';
import { companyView } from '../../shared/domain/companies/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { companyPorts } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeCompany(companyPorts, actor, params.id, body),
  companyView,
);
