import { deleteCompany as contract } from '../../shared/contracts/companies.ts';
import { deleteCompany } from '../../shared/domain/companies/companies.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { companyPorts } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(contract, ({ actor, params }) => deleteCompany(companyPorts, actor, params.id));
