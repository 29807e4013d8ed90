import type { CreateCompany } from '../../sdk.ts';
import { csvCell, parseCsv } from '../../ui/csv.ts';

/** A sheet of companies: its titles, and the rows below them. */
export interface Sheet {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const FIELDS = new Set(['nome', 'cnpj', 'segmento', 'site', 'endereco', 'responsavelId', 'contatoPrincipalId']);
const fieldOf = (title: string): string =>
  [...FIELDS].find((name) => name.toLowerCase() === title.toLowerCase()) ?? title;

export const sheetOf = (text: string): Sheet => {
  const [titles = [], ...rows] = parseCsv(text);
  return { titles: titles.map(fieldOf), rows };
};

/** The rows of a sheet as the service takes them. Empty cells stay out; columns that are no field are attributes, as text. */
export const companiesOf = ({ titles, rows }: Sheet): CreateCompany[] =>
  rows.map((row) => {
    const cells = titles.flatMap((title, at) => (title !== '' && row[at] ? [[title, row[at]] as const] : []));
    const atributos = Object.fromEntries(cells.filter(([title]) => !FIELDS.has(title)));
    const fields = Object.fromEntries(cells.filter(([title]) => FIELDS.has(title)));
    // A row without a name is the service's to refuse.
    return { ...fields, ...(Object.keys(atributos).length > 0 ? { atributos } : {}) } as CreateCompany;
  });

/** A sheet of some rows of another, by their numbers from 1. */
export const onlyRows = ({ titles, rows }: Sheet, numbers: readonly number[]): string =>
  [titles, ...numbers.map((number) => rows[number - 1] ?? [])].map((cells) => cells.map(csvCell).join(';')).join('\n');
