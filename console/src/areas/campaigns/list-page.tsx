import { Button, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignPage, CampaignsListQuery } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging, useSkip } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { CAMPAIGN_STATUSES, CampaignStatus } from './campaign-status.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;
const REFRESH_MS = 10_000;

const useColumns = (): readonly Column<Campaign>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    {
      key: 'name',
      title: t.columns.name,
      cell: ({ id, name }) => (
        <AppLink to={`/campaigns/${id}`} className="breakable">
          {name}
        </AppLink>
      ),
    },
    { key: 'status', title: t.columns.status, cell: ({ status }) => <CampaignStatus status={status} /> },
    {
      key: 'total',
      title: t.columns.total,
      alignEnd: true,
      cell: ({ progress }) => format.number(progress.total),
    },
    {
      key: 'delivered',
      title: t.columns.delivered,
      alignEnd: true,
      cell: ({ progress }) => format.number(progress.delivered),
    },
    { key: 'createdAt', title: t.columns.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
};

/** The campaigns of the organization, newest first. */
export default function CampaignsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const skip = useSkip(LIMIT);
  const columns = useColumns();
  const fields = useMemo((): readonly FilterField[] => {
    const choices = CAMPAIGN_STATUSES.map((value) => ({ value, label: t.statuses[value] }));
    return [{ name: 'status', label: t.columns.status, kind: 'choice', choices }];
  }, [t]);
  const filters = useFilterValues(fields) as CampaignsListQuery;
  const list = useQuery<CampaignPage>({
    queryKey: ['campaigns', filters, skip],
    queryFn: async ({ signal }) => api.campaigns.list({ ...filters, skip, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const create = may('campaigns:write') ? (
    <Button component={Link} to="/campaigns/new">
      {t.create}
    </Button>
  ) : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {list.data ? (
        <Stack>
          {list.data.items.length > 0 ? (
            <DataTable caption={t.title} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon={Megaphone} title={t.emptyTitle}>
              {filters.status ? t.emptyFiltered : t.empty}
            </EmptyState>
          )}
          <Paging limit={LIMIT} total={list.data.total} />
        </Stack>
      ) : null}
    </Page>
  );
}
