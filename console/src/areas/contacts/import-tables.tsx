import { NativeSelect, Table } from '@mantine/core';
import { useTexts } from '../../app/texts.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import type { Sheet } from '../../ui/sheet.ts';
import type { Target } from './import-mapping.ts';
import { importTexts } from './import-texts.ts';

interface MappingProps {
  readonly sheet: Sheet;
  readonly targets: readonly Target[];
}

/** The field of each column of the file, with a sample value. */
export const ColumnsTable = ({
  sheet,
  targets,
  onChange,
}: MappingProps & { readonly onChange: (targets: Target[]) => void }) => {
  const t = useTexts(importTexts);
  const rows = sheet.header.map((name, at) => ({ name, at, example: sheet.rows[0]?.[at] ?? '' }));
  const choices = (name: string) => [
    { value: '', label: t.ignore },
    ...choicesOf(t.fields),
    ...(name === '' ? [] : [{ value: `attributes.${name}`, label: t.attribute(name) }]),
  ];
  return (
    <DataTable
      caption={t.columns}
      rows={rows}
      keyOf={({ at }) => String(at)}
      columns={[
        { key: 'name', title: t.column, cell: ({ name }) => <span className="breakable">{name}</span> },
        { key: 'example', title: t.example, cell: ({ example }) => <span className="breakable">{example}</span> },
        {
          key: 'fills',
          title: t.fills,
          cell: ({ name, at }) => (
            <NativeSelect
              aria-label={`${t.fills}: ${name}`}
              value={targets[at] ?? ''}
              onChange={({ currentTarget }) => onChange(targets.with(at, currentTarget.value as Target))}
              data={choices(name)}
            />
          ),
        },
      ]}
    />
  );
};

interface Row {
  readonly cells: readonly string[];
  readonly row: number;
}

/** The first rows as they would be imported: the columns that fill something. */
export const PreviewTable = ({ sheet, targets }: MappingProps) => {
  const t = useTexts(importTexts);
  const shown = targets.flatMap((target, at) => (target === '' ? [] : [{ target, at }]));
  const titleOf = (target: Target) =>
    target.startsWith('attributes.')
      ? t.attribute(target.slice('attributes.'.length))
      : t.fields[target as keyof typeof t.fields];
  return (
    <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <DataTable
        caption={t.preview}
        rows={sheet.rows.map((cells, row) => ({ cells, row }))}
        keyOf={({ row }) => String(row)}
        columns={shown.map(
          ({ target, at }): Column<Row> => ({
            key: target,
            title: titleOf(target),
            cell: ({ cells }) => <span className="breakable">{cells[at] ?? ''}</span>,
          }),
        )}
      />
    </Table.ScrollContainer>
  );
};
