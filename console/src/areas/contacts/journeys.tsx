import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Route } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyRow, JourneyRun } from '../../sdk.ts';
import type { Column } from '../../ui/data-table.tsx';
import { CursorList, QueryView, useCursorList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { AppLink, StateOf, Time, type Tone } from '../../ui/values.tsx';
import { pageTexts } from './page-texts.ts';

const TONES: Readonly<Record<JourneyRun['status'], Tone>> = {
  ativa: 'pending',
  concluida: 'good',
  cancelada: 'neutral',
  erro: 'bad',
};

const Runs = ({ contactId, journeyId }: { readonly contactId: string; readonly journeyId: string }) => {
  const t = useTexts(pageTexts).journeys;
  const runs = useCursorList<JourneyRun>({
    queryKey: ['contact', contactId, 'runs', journeyId],
    read: async (paging, signal) => api.journeys.runs(journeyId, { contactId, ...paging }, { signal }),
  });
  const columns: readonly Column<JourneyRun>[] = [
    {
      key: 'startedAt',
      title: t.startedAt,
      cell: ({ id, journeyId: version, iniciadaEm }) => (
        <AppLink to={`/journeys/${version}/runs/${id}`}>
          <Time at={iniciadaEm} />
        </AppLink>
      ),
    },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={TONES} words={t.statuses} />,
    },
    { key: 'step', title: t.step, cell: ({ passo }) => <span className="breakable">{passo}</span> },
  ];
  return (
    <CursorList
      query={runs}
      caption={t.run}
      columns={columns}
      keyOf={({ id }) => id}
      empty={emptyState(Route, t.emptyTitle, t.empty)}
    />
  );
};

const Choice = ({ contactId, journeys }: { readonly contactId: string; readonly journeys: readonly JourneyRow[] }) => {
  const t = useTexts(pageTexts).journeys;
  const [chosen, setChosen] = useState(journeys[0]?.id);
  if (chosen === undefined) return <Text c="dimmed">{t.none}</Text>;
  return (
    <Stack>
      <NativeSelect
        label={t.choose}
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        data={journeys.map(({ id, name, versao }) => ({ value: id, label: `${name} (v${versao})` }))}
      />
      <Runs contactId={contactId} journeyId={chosen} />
    </Stack>
  );
};

/** How a contact went through a journey: the service lists runs by journey. */
export const Journeys = ({ id }: { readonly id: string }) => {
  const journeys = useQuery({
    queryKey: ['journeys', 'of-contacts'],
    queryFn: ({ signal }) => api.journeys.list({ signal }),
  });
  return <QueryView query={journeys}>{({ items }) => <Choice contactId={id} journeys={items} />}</QueryView>;
};
