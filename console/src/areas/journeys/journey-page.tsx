import './journeys.css';
import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Journey } from '../../sdk.ts';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { AppLink, Coins, Fact, Facts, Time } from '../../ui/values.tsx';
import { Editor } from './editor.tsx';
import { JourneyActions } from './journey-actions.tsx';
import { JourneyStatus } from './journey-status.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;
const COUNTS = ['entradas', 'ativas', 'concluidas', 'canceladas', 'erros', 'conversoes', 'valorConvertido'] as const;

/** The results of a version so far. */
const Figures = ({ journey }: { readonly journey: Journey }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const metrics = useQuery({
    queryKey: ['journey', journey.id, 'metrics'],
    queryFn: ({ signal }) => api.journeys.metrics(journey.id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (!metrics.data) return <ProblemView error={metrics.error} />;
  const { data } = metrics;
  return (
    <Facts>
      {COUNTS.map((name) => (
        <Fact key={name} name={t.figures[name]}>
          {format.number(data[name])}
        </Fact>
      ))}
      <Fact name={t.figures.coins}>
        <Coins coins={data.coins} />
      </Fact>
    </Facts>
  );
};

/** The other versions of the same journey, where they are not archived. */
const Versions = ({ journey }: { readonly journey: Journey }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const list = useQuery({ queryKey: ['journeys'], queryFn: ({ signal }) => api.journeys.list({ signal }) });
  const first = journey.versaoDe ?? journey.id;
  const others = (list.data?.items ?? []).filter(({ id, versaoDe }) => (versaoDe ?? id) === first && id !== journey.id);
  return (
    <Group gap="sm" component="nav" aria-label={t.versions}>
      <JourneyStatus status={journey.status} />
      <Text>{t.versionOf(format.number(journey.versao))}</Text>
      {others.map(({ id, versao, status }) => (
        <AppLink key={id} to={`/journeys/${id}`}>
          {`${t.versionOf(format.number(versao))} (${t.statuses[status]})`}
        </AppLink>
      ))}
    </Group>
  );
};

const Notices = ({ journey }: { readonly journey: Journey }) => {
  const t = useTexts(texts);
  const { pausadaPor, substituidaPor } = journey;
  return (
    <>
      {pausadaPor ? (
        <Alert color="yellow" variant="outline" title={t.pausedBy[pausadaPor.motivo]} role="status">
          {t.atStep(pausadaPor.rotulo ?? pausadaPor.passo)} <Time at={pausadaPor.em} />
        </Alert>
      ) : null}
      {substituidaPor ? (
        <Alert variant="outline" role="status">
          {t.replaced} <AppLink to={`/journeys/${substituidaPor}`}>{substituidaPor}</AppLink>
        </Alert>
      ) : null}
    </>
  );
};

/** A version of a journey: its steps, its rules, and what came of it. */
export default function JourneyPage() {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const t = useTexts(texts);
  const journey = useQuery({ queryKey: ['journey', id], queryFn: ({ signal }) => api.journeys.get(id, { signal }) });
  const [refused, setRefused] = useState<unknown>();
  return (
    <Page
      title={journey.data?.name ?? t.title}
      actions={journey.data ? <JourneyActions journey={journey.data} onRefused={setRefused} /> : null}
    >
      <QueryView query={journey} loadingRows={8}>
        {(data) => (
          <Stack>
            <Versions journey={data} />
            <Notices journey={data} />
            {data.status === 'rascunho' ? null : <Figures journey={data} />}
            <Editor key={data.id} journey={data} refused={refused} onSaved={() => setRefused(undefined)} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
