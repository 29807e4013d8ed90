import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { StaticList } from '../../sdk.ts';
import { type Column, DataTable, nameColumn } from '../../ui/data-table.tsx';
import { useSearchValues } from '../../ui/filters.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging, useSkip } from '../../ui/paging.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { CreateListDialog } from './list-dialogs.tsx';
import { texts } from './texts.ts';

const useColumns = (): readonly Column<StaticList>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    nameColumn(t.columns.name, '/lists', 'name'),
    { key: 'size', title: t.columns.size, alignEnd: true, cell: ({ size }) => format.number(size) },
    { key: 'updatedAt', title: t.columns.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Rows of a page. A thousand of them would be slow to draw, and to draw again at each key. */
const PAGE = 50;

/** All lists, of which there are at most 1,000: the name filters here. */
const Lists = ({ items }: { readonly items: readonly StaticList[] }) => {
  const t = useTexts(texts);
  const [{ q = '' }] = useSearchValues();
  const skip = useSkip(PAGE);
  const sought = plain(q.trim());
  const found = items.filter(({ name }) => plain(name).includes(sought));
  const columns = useColumns();
  return (
    <Stack>
      <SearchField label={t.filter} />
      {found.length > 0 ? (
        <DataTable caption={t.title} columns={columns} rows={found.slice(skip, skip + PAGE)} keyOf={({ id }) => id} />
      ) : (
        <Text role="status">{t.nothing}</Text>
      )}
      <Paging limit={PAGE} total={found.length} />
    </Stack>
  );
};

/** The static lists of the organization. */
export default function ListsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const [creating, setCreating] = useState(false);
  const lists = useQuery({ queryKey: ['lists'], queryFn: ({ signal }) => api.lists.all({ signal }) });
  const create = may('contacts:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <QueryView query={lists}>
        {({ items }) =>
          items.length > 0 ? (
            <Lists items={items} />
          ) : (
            <EmptyState icon={ListChecks} title={t.emptyTitle}>
              {t.empty}
            </EmptyState>
          )
        }
      </QueryView>
      {creating ? <CreateListDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
