import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignPage, CampaignsListQuery } from '../../sdk.ts';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, Filters, useFilterValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { CampaignStatus } from './campaign-status.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

const useColumns = (): readonly Column<Campaign>[] => {
  const t = useTexts(texts).columns;
  const format = useFormat();
  return [
    nameColumn(t.name, '/campaigns', 'name'),
    { key: 'status', title: t.status, cell: ({ status }) => <CampaignStatus status={status} /> },
    { key: 'total', title: t.total, alignEnd: true, cell: ({ progress }) => format.number(progress.total) },
    { key: 'delivered', title: t.delivered, alignEnd: true, cell: ({ progress }) => format.number(progress.delivered) },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
};

/** The campaigns of the organization, newest first. */
export default function CampaignsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const fields = useMemo(() => [choiceFilter('status', t.columns.status, choicesOf(t.statuses))], [t]);
  const filters = useFilterValues(fields) as CampaignsListQuery;
  const list = usePagedList<CampaignPage, CampaignsListQuery>({
    queryKey: ['campaigns'],
    filters,
    read: (query, signal) => api.campaigns.list(query, { signal }),
    refreshMs: REFRESH_MS,
  });
  const create = may('campaigns:write') ? (
    <Button component={Link} to="/campaigns/new">
      {t.create}
    </Button>
  ) : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <PagedList
        query={list}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(Megaphone, t.emptyTitle, filters.status ? t.emptyFiltered : t.empty)}
      />
    </Page>
  );
}
