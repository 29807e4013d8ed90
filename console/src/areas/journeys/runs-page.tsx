import { Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { Footprints } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyRun, JourneysRunsQuery } from '../../sdk.ts';
import { type Column, linkColumn } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { CursorList, useCursorList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { RunStatus } from './journey-status.tsx';
import { runTexts } from './run-texts.ts';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

const useColumns = (id: string): readonly Column<JourneyRun>[] => {
  const t = useTexts(runTexts);
  return [
    linkColumn(
      t.columns.begun,
      (run) => `/journeys/${id}/runs/${run.id}`,
      ({ iniciadaEm }) => <Time at={iniciadaEm} />,
    ),
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
  const fields = useMemo(
    (): readonly FilterField[] => [
      choiceFilter('status', t.columns.status, choicesOf(t.statuses)),
      { name: 'contactId', label: t.columns.contact, kind: 'text', placeholder: 'cnt_…' },
    ],
    [t],
  );
  const filters = useFilterValues(fields) as JourneysRunsQuery;
  const list = useCursorList<JourneyRun>({
    queryKey: ['journey', id, 'runs', filters],
    read: async (paging, signal) => api.journeys.runs(id, { ...filters, ...paging }, { signal }),
    refreshMs: REFRESH_MS,
  });
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
      <CursorList
        query={list}
        caption={t.runs}
        columns={useColumns(id)}
        keyOf={(run) => run.id}
        empty={emptyState(Footprints, t.emptyTitle, t.empty)}
      />
    </Page>
  );
}
