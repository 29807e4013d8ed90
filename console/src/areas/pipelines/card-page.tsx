import { Alert, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { AlarmClock } from 'lucide-react';
import type { ReactNode } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Card, CardHistory, Pipeline } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import { attributeText } from '../../ui/attributes.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { MemberName } from '../../ui/members.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { LoadMore } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { AppLink, CARD_TONES, Fact, Facts, Status, Time } from '../../ui/values.tsx';
import { CardActions } from './card-actions.tsx';
import { CardActivities } from './card-activities.tsx';
import { useFieldName } from './card-draft.ts';
import { CardFiles } from './card-files.tsx';
import { texts } from './texts.ts';

interface CardProps {
  readonly card: Card;
  readonly pipeline: Pipeline;
}

const stageName = ({ estagios }: Pipeline, id: string | undefined): string =>
  estagios.find((stage) => stage.id === id)?.nome ?? id ?? '—';

/** Ids that other areas have pages of are links. */
const Linked = ({ to, id }: { readonly to: string; readonly id: string }) => <AppLink to={`${to}/${id}`}>{id}</AppLink>;

const FactList = ({ card, pipeline }: CardProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { valor, moeda, responsavelId, contatoId, empresaId, dataPrevista, atributos } = card;
  const company = useQuery({
    queryKey: ['lookup', 'companies', 'name', empresaId],
    queryFn: async ({ signal }) => (await api.companies.get(empresaId ?? '', { signal })).nome,
    enabled: empresaId !== undefined,
  });
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      t.status,
      <Status key="status" tone={CARD_TONES[card.status]}>
        {t.statuses[card.status]}
      </Status>,
    ],
    [t.stage, stageName(pipeline, card.estagioId)],
    [t.since, <Time key="since" at={card.estagioDesde} relative />],
    [t.fields.valor, valor === undefined ? undefined : <Amount key="valor" value={valor} currency={moeda} />],
    [t.fields.dataPrevista, dataPrevista && format.date(`${dataPrevista}T12:00:00`)],
    [t.fields.responsavelId, responsavelId && <MemberName key="who" id={responsavelId} />],
    [t.fields.contatoId, contatoId && <Linked key="contact" to="/contacts" id={contatoId} />],
    [
      t.fields.empresaId,
      empresaId && (
        <AppLink key="company" to={`/companies/${empresaId}`}>
          {company.data ?? empresaId}
        </AppLink>
      ),
    ],
    [t.fields.motivoPerda, card.motivoPerda],
    [t.wonAt, card.ganhoEm && <Time key="won" at={card.ganhoEm} />],
    [t.lostAt, card.perdidoEm && <Time key="lost" at={card.perdidoEm} />],
    [t.createdAt, <Time key="created" at={card.createdAt} />],
    ...Object.entries(atributos).map(([key, value]) => [key, attributeText(value)] as const),
  ];
  return (
    <Facts>
      {facts.map(([name, value], index) =>
        value ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: an attribute may be called as a field is.
          <Fact key={`${index} ${name}`} name={name}>
            {value}
          </Fact>
        ) : null,
      )}
      <Fact name="ID">
        <CopyText text={card.id} />
      </Fact>
    </Facts>
  );
};

type Entry = CardHistory['items'][number];

const useHistoryColumns = (pipeline: Pipeline): readonly Column<Entry>[] => {
  const t = useTexts(texts);
  const nameOf = useFieldName();
  const detail = ({ estagioAnteriorId, estagioId, campos }: Entry): string => {
    const stages = [estagioAnteriorId, estagioId].filter((id) => id !== undefined).map((id) => stageName(pipeline, id));
    return [stages.join(' → '), (campos ?? []).map(nameOf).join(', ')].filter(Boolean).join(' · ') || '—';
  };
  return [
    { key: 'em', title: t.updatedAt, cell: ({ em }) => <Time at={em} /> },
    { key: 'tipo', title: t.kind, cell: ({ tipo }) => t.events[tipo] },
    { key: 'detail', title: t.details, cell: (entry) => <span className="breakable">{detail(entry)}</span> },
    { key: 'ator', title: t.by, cell: ({ ator }) => (ator ? <MemberName id={ator.id} /> : t.service) },
  ];
};

const History = ({ card, pipeline }: CardProps) => {
  const t = useTexts(texts);
  const columns = useHistoryColumns(pipeline);
  const history = useInfiniteQuery({
    queryKey: ['card', card.id, 'history'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) =>
      api.cards.history(card.id, pageParam === undefined ? {} : { cursor: pageParam }, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const entries = history.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <ProblemView error={history.error} onRetry={() => void history.refetch()} />
      {history.isPending && !history.error ? <Loading rows={2} /> : null}
      <DataTable
        caption={t.history}
        columns={columns}
        rows={entries}
        keyOf={(entry) => `${entry.em} ${entry.tipo} ${entry.estagioId ?? ''} ${entry.campos?.join() ?? ''}`}
      />
      <LoadMore query={history} />
    </>
  );
};

const Whole = ({ card, pipeline }: CardProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const longest = pipeline.estagios.find(({ id }) => id === card.estagioId)?.tempoMaximoDias;
  return (
    <Stack gap="xl">
      {card.parado ? (
        <Alert color="yellow" variant="outline" icon={<AlarmClock aria-hidden />} title={t.stalled}>
          {longest === undefined ? null : <Text size="sm">{t.stalledHint(format.number(longest))}</Text>}
        </Alert>
      ) : null}
      <FactList card={card} pipeline={pipeline} />
      <Section title={t.activities}>
        <CardActivities cardId={card.id} />
      </Section>
      <Section title={t.files}>
        <CardFiles cardId={card.id} />
      </Section>
      <Section title={t.history}>
        <History card={card} pipeline={pipeline} />
      </Section>
    </Stack>
  );
};

/** A card: what is known of the deal, what is to be done about it, and what happened to it. */
export default function CardPage() {
  const t = useTexts(texts);
  const { id = '', cardId = '' }: { id?: string; cardId?: string } = useParams({ strict: false });
  const card = useQuery({ queryKey: ['card', cardId], queryFn: ({ signal }) => api.cards.get(cardId, { signal }) });
  // It may have gone to another pipeline since the link was made.
  const pipelineId = card.data?.pipelineId ?? id;
  const pipeline = useQuery({
    queryKey: ['pipeline', pipelineId],
    queryFn: ({ signal }) => api.pipelines.get(pipelineId, { signal }),
  });
  const known = card.data && pipeline.data ? { card: card.data, pipeline: pipeline.data } : undefined;
  const error = card.error ?? pipeline.error;
  return (
    <Page
      title={card.data?.titulo ?? t.card}
      description={<AppLink to={`/pipelines/${pipelineId}`}>{pipeline.data?.nome ?? t.backToBoard}</AppLink>}
      actions={known ? <CardActions {...known} /> : null}
    >
      <ProblemView error={error} onRetry={() => void card.refetch()} />
      {known || error ? null : <Loading />}
      {known ? <Whole {...known} /> : null}
    </Page>
  );
}
