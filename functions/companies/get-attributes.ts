import { getCompanyAttributes as contract } from '../../shared/contracts/companies.ts';
import { readDefinitions } from '../../shared/domain/companies/definitions.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { companyPorts } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  ({ actor }) => readDefinitions(companyPorts, actor),
  (defs) => ({ defs: [...defs] }),
);
