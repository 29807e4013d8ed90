import { setCompanyAttributes as contract } from '../../shared/contracts/companies.ts';
import { replaceDefinitions } from '../../shared/domain/companies/definitions.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { companyPorts } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => replaceDefinitions(companyPorts, actor, body.defs),
  (defs) => ({ defs: [...defs] }),
);
