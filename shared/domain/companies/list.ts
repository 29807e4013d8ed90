import { parseCnpj } from '../core/documents.ts';
import type { Id } from '../core/ids.ts';
import type { CountedCompany } from './company.ts';
import { foldName } from './names.ts';

interface PageRequest {
  readonly skip: number;
  readonly limit: number;
}
export interface CompanyPage {
  readonly items: readonly CountedCompany[];
  readonly total: number;
}

/** Filters of a list; an absent field does not filter. */
export interface CompanyFilter {
  /** A part of the name, or a CNPJ with right check digits. */
  readonly q?: string | undefined;
  readonly responsavelId?: Id<'account'> | undefined;
}

/** The sources of a company list. */
export interface CompanySource {
  /** All of them, by name. */
  all(organizationId: Id<'organization'>, page: PageRequest): Promise<CompanyPage>;
  /** Those with this part in their folded names and this responsible account, by name. */
  find(
    organizationId: Id<'organization'>,
    filter: { readonly part?: string | undefined; readonly responsavelId?: Id<'account'> | undefined },
  ): Promise<readonly Id<'company'>[]>;
  /** The company with a CNPJ, or none. */
  ofCnpj(organizationId: Id<'organization'>, cnpj: string): Promise<readonly Id<'company'>[]>;
  /** Companies with their counts, in the order of the ids; deleted ones are omitted. */
  read(organizationId: Id<'organization'>, ids: readonly Id<'company'>[]): Promise<readonly CountedCompany[]>;
}

/** A page of an organization's companies, by name, and how many match on all pages (docs/spec/companies.md#list). */
export const listCompanies = async (
  source: CompanySource,
  organizationId: Id<'organization'>,
  { q, responsavelId }: CompanyFilter,
  page: PageRequest,
): Promise<CompanyPage> => {
  if (q === undefined && responsavelId === undefined) return source.all(organizationId, page);
  const cnpj = q === undefined ? undefined : parseCnpj(q.trim());
  if (cnpj !== undefined) {
    const found = await source.read(organizationId, await source.ofCnpj(organizationId, cnpj));
    const items = found.filter(
      ({ company }) =>
        company.cnpj === cnpj && (responsavelId === undefined || company.responsavelId === responsavelId),
    );
    return { items: items.slice(page.skip, page.skip + page.limit), total: items.length };
  }
  const part = q === undefined ? undefined : foldName(q.trim());
  const ids = await source.find(organizationId, { part, responsavelId });
  const items = await source.read(organizationId, ids.slice(page.skip, page.skip + page.limit));
  return { items, total: ids.length };
};
