import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Filter } from 'lucide-react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Segment, SegmentPage, SegmentsListQuery } from '../../sdk.ts';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { useSearchValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const useColumns = (): readonly Column<Segment>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    nameColumn(t.columns.name, '/segments', 'name'),
    { key: 'size', title: t.columns.size, alignEnd: true, cell: ({ size }) => format.number(size) },
    { key: 'updatedAt', title: t.columns.updatedAt, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

/** The segments of the organization, with how many contacts each has now. */
export default function SegmentsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const [{ q }] = useSearchValues();
  const list = usePagedList<SegmentPage, SegmentsListQuery>({
    queryKey: ['segments'],
    filters: q?.trim() ? { q: q.trim() } : {},
    read: (query, signal) => api.segments.list(query, { signal }),
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
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(Filter, t.emptyTitle, q ? t.nothing : t.empty)}
      />
    </Page>
  );
}
