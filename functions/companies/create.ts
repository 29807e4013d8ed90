import { createCompany as contract } from '../../shared/contracts/companies.ts';
import { createCompany } from '../../shared/domain/companies/companies.ts';
import { companyView } from '../../shared/domain/companies/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { companyPorts } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(contract, ({ actor, body }) => createCompany(companyPorts, actor, body), companyView);
