import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { CountedCompany } from './company.ts';

/** Whole cents as reais. */
const reais = (cents: number): number => cents / 100;

const fieldsOf = ({ company, counts, lastInteractionAt }: CountedCompany) => {
  const { env: _env, version: _version, createdAt, updatedAt, ...fields } = company;
  return {
    ...definedFields(fields),
    id: company.id,
    organizationId: company.organizationId,
    nome: company.nome,
    createdById: company.createdById,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    contagens: {
      contatos: counts.contacts,
      negociosAbertos: counts.openCards,
      valorAberto: reais(counts.openCents),
      ultimaInteracao: lastInteractionAt === undefined ? null : isoTime(lastInteractionAt),
    },
  };
};

/** A company in a list (docs/spec/companies.md#counts). */
export const companyItemView = (counted: CountedCompany) => fieldsOf(counted);

/** A single company, which also shows the won deals. */
export const companyView = (counted: CountedCompany) => {
  const { contagens, ...fields } = fieldsOf(counted);
  const { wonCents, wonCards } = counted.counts;
  return { ...fields, contagens: { ...contagens, valorGanho: reais(wonCents), negociosGanhos: wonCards } };
};
