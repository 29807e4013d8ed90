import { Button, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyRunWithHistory } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadMore } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { AppLink, Fact, Facts, Time } from '../../ui/values.tsx';
import { RunStatus } from './journey-status.tsx';
import { runTexts } from './run-texts.ts';
import { stepTexts } from './step-texts.ts';

const REFRESH_MS = 5_000;
type Visit = JourneyRunWithHistory['historico'][number] & { readonly number: number };

const useColumns = (): readonly Column<Visit>[] => {
  const t = useTexts(runTexts);
  const steps = useTexts(stepTexts);
  return [
    { key: 'at', title: t.historyColumns.at, cell: ({ em }) => <Time at={em} /> },
    {
      key: 'step',
      title: t.historyColumns.step,
      cell: ({ passo, tipo }) => <span className="breakable">{`${steps.kinds[tipo]} · ${passo}`}</span>,
    },
    { key: 'result', title: t.historyColumns.result, cell: ({ resultado }) => steps.results[resultado] },
    {
      key: 'detail',
      title: t.historyColumns.detail,
      cell: ({ detalhe, messageId }) => (
        <span className="breakable">
          {detalhe} {messageId ? <AppLink to={`/messages/${messageId}`}>{t.message}</AppLink> : null}
        </span>
      ),
    },
  ];
};

const RunFacts = ({ run }: { readonly run: JourneyRunWithHistory }) => {
  const t = useTexts(runTexts);
  const ends: Readonly<Record<string, string>> = useTexts(stepTexts).ends;
  const { status, espera, fim } = run;
  return (
    <Facts>
      <Fact name={t.columns.status}>
        <RunStatus status={status} />
      </Fact>
      <Fact name={t.columns.step}>{run.passo}</Fact>
      {espera ? (
        <Fact name={t.now}>
          {t.waits[espera.motivo]} {espera.ate ? <Time at={espera.ate} relative /> : null}
        </Fact>
      ) : null}
      <Fact name={t.columns.begun}>
        <Time at={run.iniciadaEm} />
      </Fact>
      {run.terminadaEm ? (
        <Fact name={t.ended}>
          <Time at={run.terminadaEm} />
        </Fact>
      ) : null}
      {fim ? <Fact name={t.end}>{[ends[fim.motivo], fim.detalhe].filter(Boolean).join(' · ')}</Fact> : null}
      {run.convertidaEm ? (
        <Fact name={t.converted}>
          <Time at={run.convertidaEm} />
        </Fact>
      ) : null}
      <Fact name={t.columns.contact}>
        <CopyText text={run.contactId} label={t.columns.contact} />
      </Fact>
      <Fact name={t.journey}>
        <AppLink to={`/journeys/${run.journeyId}`}>{run.journeyId}</AppLink>
      </Fact>
    </Facts>
  );
};

const CancelButton = ({ id, runId }: { readonly id: string; readonly runId: string }) => {
  const t = useTexts(runTexts);
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsks(true)}>
        {t.cancel}
      </Button>
      {asks ? (
        <ActionDialog
          dangerous
          title={t.cancel}
          hint={t.cancelHint}
          act={() => api.journeys.cancelRun(id, runId)}
          invalidates={[['journey', id]]}
          onClose={() => setAsks(false)}
        />
      ) : null}
    </>
  );
};

/** A contact's way through a journey. */
export default function RunPage() {
  const t = useTexts(runTexts);
  const may = useMay();
  const columns = useColumns();
  const { id = '', runId = '' }: { id?: string; runId?: string } = useParams({ strict: false });
  const run = useInfiniteQuery({
    queryKey: ['journey', id, 'run', runId],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }): Promise<JourneyRunWithHistory> =>
      api.journeys.run(id, runId, pageParam ? { cursor: pageParam } : {}, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: REFRESH_MS,
  });
  const [first] = run.data?.pages ?? [];
  const visits = run.data?.pages.flatMap(({ historico }) => historico).map((visit, number) => ({ ...visit, number }));
  const canCancel = may('campaigns:write') && first?.status === 'ativa';
  return (
    <Page title={t.run} actions={canCancel ? <CancelButton id={id} runId={runId} /> : null}>
      <ProblemView error={run.error} onRetry={() => void run.refetch()} />
      {run.isPending && !run.error ? <Loading /> : null}
      {first && visits ? (
        <Stack gap="xl">
          <RunFacts run={first} />
          <Stack component="section" aria-label={t.history}>
            <Title order={2} size="h4">
              {t.history}
            </Title>
            {visits.length > 0 ? (
              <DataTable caption={t.history} columns={columns} rows={visits} keyOf={(visit) => String(visit.number)} />
            ) : (
              <Text size="sm">{t.historyEmpty}</Text>
            )}
            <LoadMore query={run} />
          </Stack>
        </Stack>
      ) : null}
    </Page>
  );
}
