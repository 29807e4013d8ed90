import { EXTERNAL_SYSTEMS } from '../contacts/contact.ts';
import { tagsOfCell } from '../contacts/tags-cell.ts';
import { unmarkFormula } from '../core/csv.ts';

/** Contact fields that a column fills with its plain text. */
const PLAIN = [
  'phone',
  'name',
  'email',
  'avatarUrl',
  'externalId',
  'companyId',
  'papelNaEmpresa',
  'cpf',
  'cnpj',
  'nascimento',
  'source',
] as const;
const NESTED = [...EXTERNAL_SYSTEMS.map((system) => `externalIds.${system}`), 'optIn.status', 'optIn.source'];
const FIELDS: ReadonlySet<string> = new Set([...PLAIN, ...NESTED, 'tags']);
const ATTRIBUTE = 'attributes.';

/** Maximum columns of a file. */
export const MAX_COLUMNS = 200;

/** Whether a column can be mapped to a field: by its name, or `attributes.` and a key. */
export const isImportField = (field: string): boolean =>
  FIELDS.has(field) || (field.startsWith(ATTRIBUTE) && field.length > ATTRIBUTE.length);

/** The field of each column, in order; null for an ignored one. */
export type Columns = readonly (string | null)[];
export type ColumnsFault =
  | { readonly code: 'unknown_column' | 'duplicate_column'; readonly column: number }
  | { readonly code: 'too_many_columns' | 'missing_column' };

/**
 * Maps the columns of a header to fields. Without a mapping every column must have a field's name; with one, unmapped columns are ignored.
 */
export const columnsOf = (
  header: readonly string[],
  mapping: Readonly<Record<string, string>> | undefined,
): Columns | ColumnsFault => {
  if (header.length > MAX_COLUMNS) return { code: 'too_many_columns' };
  const names = header.map((name) => name.trim());
  const targets = new Map(Object.entries(mapping ?? Object.fromEntries(names.map((name) => [name, name]))));
  const columns = names.map((name) => targets.get(name) ?? null);
  const unknown = mapping ? -1 : columns.findIndex((field) => field === null || !isImportField(field));
  if (unknown !== -1) return { code: 'unknown_column', column: unknown + 1 };
  const twice = columns.findIndex((field, at) => field !== null && columns.indexOf(field) !== at);
  if (twice !== -1) return { code: 'duplicate_column', column: twice + 1 };
  const isThere = (field: string) => columns.includes(field);
  return isThere('phone') && [...targets.values()].every(isThere) ? columns : { code: 'missing_column' };
};

/** The fields of a record's cells, as for a new contact. Empty cells are ignored. */
export const contactOfCells = (columns: Columns, cells: readonly string[]): Readonly<Record<string, unknown>> => {
  const plain: [string, unknown][] = [];
  const nested = new Map<string, [string, unknown][]>();
  for (const [at, field] of columns.entries()) {
    const text = unmarkFormula(cells[at] ?? '').trim();
    if (field === null || text === '') continue;
    const dot = field.indexOf('.');
    if (field === 'tags') plain.push(['tags', tagsOfCell(text)]);
    else if (dot === -1) plain.push([field, text]);
    else {
      const outer = field.slice(0, dot);
      nested.set(outer, [...(nested.get(outer) ?? []), [field.slice(dot + 1), text]]);
    }
  }
  return Object.fromEntries([...plain, ...[...nested].map(([name, inner]) => [name, Object.fromEntries(inner)])]);
};
