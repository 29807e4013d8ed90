import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Filter } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Segment, SegmentPage } from '../../sdk.ts';
import type { Column } from '../../ui/data-table.tsx';
import { useSearchValues } from '../../ui/filters.tsx';
import { PagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { useSkip } from '../../ui/paging.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;

const useColumns = (): readonly Column<Segment>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    {
      key: 'name',
      title: t.columns.name,
      cell: ({ id, name }) => (
        <AppLink to={`/segments/${id}`} className="breakable">
          {name}
        </AppLink>
      ),
    },
    { key: 'size', title: t.columns.size, alignEnd: true, cell: ({ size }) => format.number(size) },
    { key: 'updatedAt', title: t.columns.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

/** The segments of the organization, with how many contacts each has now. */
export default function SegmentsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const skip = useSkip(LIMIT);
  const [{ q }] = useSearchValues();
  const asked = q?.trim() ? { q: q.trim() } : {};
  const list = useQuery<SegmentPage>({
    queryKey: ['segments', asked, skip],
    queryFn: async ({ signal }) => api.segments.list({ ...asked, skip, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  });
  const create = may('contacts:write') ? (
    <Button component={Link} to="/segments/new">
      {t.create}
    </Button>
  ) : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <SearchField label={t.search} busy={list.isFetching && q !== undefined} />
      <PagedList
        query={list}
        limit={LIMIT}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon={Filter} title={t.emptyTitle}>
            {q ? t.nothing : t.empty}
          </EmptyState>
        }
      />
    </Page>
  );
}
