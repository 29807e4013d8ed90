import type { Company, CompanyFault } from '../../domain/companies/company.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { newShardWrites } from '../crm/company-counts.ts';
import { linkWrite } from '../crm/links.ts';

/** A write of a company's transaction, and the meaning of its condition. */
export interface CompanyWrite {
  readonly fault?: CompanyFault;
  readonly write: WriteOp;
}
export const plain = (write: WriteOp): CompanyWrite => ({ write });

const claimCnpj = ({ organizationId, cnpj, id: companyId }: Company): CompanyWrite[] =>
  cnpj === undefined
    ? []
    : [
        {
          fault: 'cnpj_taken',
          write: { put: { ...KEYS.cnpj(organizationId, cnpj), org: organizationId, companyId }, when: ABSENT },
        },
      ];
/** Frees a company's CNPJ, if it has one. */
export const releaseCnpj = ({ organizationId, cnpj, id: companyId }: Company): WriteOp[] =>
  cnpj === undefined
    ? []
    : [
        {
          delete: KEYS.cnpj(organizationId, cnpj),
          when: { text: '#companyId = :companyId', values: { companyId } },
        },
      ];
const linkContact = ({ organizationId, contatoPrincipalId }: Company): CompanyWrite[] =>
  contatoPrincipalId === undefined
    ? []
    : [{ fault: 'unknown_contact', write: linkWrite(organizationId, contatoPrincipalId) }];

/** The writes of a new company besides its own row, counter and mark. */
export const newCompanyWrites = (company: Company): CompanyWrite[] => [
  ...claimCnpj(company),
  ...linkContact(company),
  ...newShardWrites(company.organizationId, company.id).map(plain),
];

/** The writes of a changed company besides its own row and mark. */
export const changedCompanyWrites = (before: Company, after: Company): CompanyWrite[] => [
  ...(before.cnpj === after.cnpj ? [] : [...claimCnpj(after), ...releaseCnpj(before).map(plain)]),
  ...(before.contatoPrincipalId === after.contatoPrincipalId ? [] : linkContact(after)),
];
