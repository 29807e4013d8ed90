import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Footprints } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyRun, JourneyRunPage, JourneysRunsQuery } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadMore } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { RUN_STATUSES, RunStatus } from './journey-status.tsx';
import { runTexts } from './run-texts.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

const useColumns = (id: string): readonly Column<JourneyRun>[] => {
  const t = useTexts(runTexts);
  return [
    {
      key: 'begun',
      title: t.columns.begun,
      cell: (run) => (
        <AppLink to={`/journeys/${id}/runs/${run.id}`}>
          <Time at={run.iniciadaEm} />
        </AppLink>
      ),
    },
    { key: 'status', title: t.columns.status, cell: ({ status }) => <RunStatus status={status} /> },
    { key: 'step', title: t.columns.step, cell: ({ passo }) => <span className="breakable">{passo}</span> },
    {
      key: 'contact',
      title: t.columns.contact,
      cell: ({ contactId }) => <span className="breakable">{contactId}</span>,
    },
    { key: 'until', title: t.columns.until, cell: ({ espera }) => <Time at={espera?.ate} /> },
  ];
};

/** The runs of a version, newest first. */
export default function RunsPage() {
  const t = useTexts(runTexts);
  const back = useTexts(texts).back;
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const columns = useColumns(id);
  const fields = useMemo((): readonly FilterField[] => {
    const choices = RUN_STATUSES.map((value) => ({ value, label: t.statuses[value] }));
    return [
      { name: 'status', label: t.columns.status, kind: 'choice', choices },
      { name: 'contactId', label: t.columns.contact, kind: 'text', placeholder: 'cnt_…' },
    ];
  }, [t]);
  const filters = useFilterValues(fields) as JourneysRunsQuery;
  const list = useInfiniteQuery({
    queryKey: ['journey', id, 'runs', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }): Promise<JourneyRunPage> =>
      api.journeys.runs(id, { ...filters, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: REFRESH_MS,
  });
  const rows = list.data?.pages.flatMap(({ items }) => items);
  return (
    <Page
      title={t.runs}
      actions={
        <Button variant="default" component={Link} to={`/journeys/${id}`}>
          {back}
        </Button>
      }
    >
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {rows ? (
        <Stack>
          {rows.length > 0 ? (
            <DataTable caption={t.runs} columns={columns} rows={rows} keyOf={(run) => run.id} />
          ) : (
            <EmptyState icon={Footprints} title={t.emptyTitle}>
              {t.empty}
            </EmptyState>
          )}
          <LoadMore query={list} />
        </Stack>
      ) : null}
    </Page>
  );
}
