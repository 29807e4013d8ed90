import { importCompanies as contract } from '../../shared/contracts/companies.ts';
import { importCompanies } from '../../shared/domain/companies/import.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { companyImportPorts } from '../../shared/wiring/companies/companies.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => importCompanies(companyImportPorts, actor, body),
  ({ erros, ...counts }) => ({ ...counts, erros: [...erros] }),
);
