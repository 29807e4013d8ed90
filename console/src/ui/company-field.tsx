import { api } from '../api.ts';
import { LookupField } from './lookup-field.tsx';

const LIMIT = 20;

const search = async (q: string, signal: AbortSignal) =>
  (await api.companies.list({ ...(q === '' ? {} : { q }), limit: LIMIT }, { signal })).items.map(({ id, nome }) => ({
    value: id,
    label: nome,
  }));
const nameOf = async (id: string, signal: AbortSignal) => (await api.companies.get(id, { signal })).nome;

interface CompanyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses a company of the organization. */
export const CompanyField = (props: CompanyFieldProps) => (
  <LookupField {...props} what="companies" search={search} nameOf={nameOf} />
);
