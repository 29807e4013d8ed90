import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyRow, JourneyTrigger } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink } from '../../ui/values.tsx';
import { JOURNEY_STATUSES, JourneyStatus } from './journey-status.tsx';
import { stepTexts } from './step-texts.ts';
import { texts } from './texts.ts';
import { TriggerFields } from './trigger-fields.tsx';

const useColumns = (): readonly Column<JourneyRow>[] => {
  const t = useTexts(texts);
  const kinds: Readonly<Record<string, string>> = useTexts(stepTexts).kinds;
  const format = useFormat();
  return [
    {
      key: 'name',
      title: t.columns.name,
      cell: ({ id, name }) => (
        <AppLink to={`/journeys/${id}`} className="breakable">
          {name}
        </AppLink>
      ),
    },
    { key: 'status', title: t.columns.status, cell: ({ status }) => <JourneyStatus status={status} /> },
    {
      key: 'trigger',
      title: t.columns.trigger,
      cell: ({ gatilho, lista, segmento }) => {
        const named = lista?.nome ?? segmento?.nome ?? gatilho.nome;
        return <span className="breakable">{`${t.triggers[gatilho.tipo]}${named ? `: ${named}` : ''}`}</span>;
      },
    },
    {
      key: 'flow',
      title: t.columns.flow,
      cell: ({ fluxo }) => <span className="breakable">{fluxo.map((each) => kinds[each] ?? each).join(' → ')}</span>,
    },
    {
      key: 'version',
      title: t.columns.version,
      alignEnd: true,
      cell: ({ versao }) => format.number(versao),
    },
    {
      key: 'runs',
      title: t.columns.runs,
      alignEnd: true,
      cell: ({ execucoes }) => format.number(execucoes.ativa),
    },
  ];
};

/** A draft with one step, to be continued in the drawing. */
const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [trigger, setTrigger] = useState<JourneyTrigger>({ tipo: 'manual' });
  const creating = useMutation({
    mutationFn: () =>
      api.journeys.create({
        name,
        gatilho: trigger,
        reentrada: 'nunca',
        passos: [{ chave: 'fim', tipo: 'sair', config: {} }],
        ligacoes: [],
      }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['journeys'] });
      await navigate({ to: `/journeys/${id}` });
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.create}
      hint={t.createHint}
      action={t.create}
      onConfirm={() => creating.mutate()}
      busy={creating.isPending}
      error={creating.error}
    >
      <TextInput required label={t.name} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <TriggerFields trigger={trigger} onChange={setTrigger} />
    </Confirm>
  );
};

/** Every version of a journey that is not archived. */
export default function JourneysPage() {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const fields = useMemo((): readonly FilterField[] => {
    const choices = JOURNEY_STATUSES.filter((value) => value !== 'arquivada');
    return [
      {
        name: 'status',
        label: t.columns.status,
        kind: 'choice',
        choices: choices.map((value) => ({ value, label: t.statuses[value] })),
      },
    ];
  }, [t]);
  const { status } = useFilterValues(fields);
  // The operation answers all of them, 200 at most.
  const list = useQuery({ queryKey: ['journeys'], queryFn: ({ signal }) => api.journeys.list({ signal }) });
  const rows = list.data?.items.filter((row) => status === undefined || row.status === status);
  const create = may('campaigns:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {rows ? (
        <Stack>
          {rows.length > 0 ? (
            <DataTable caption={t.title} columns={columns} rows={rows} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon={Workflow} title={t.emptyTitle}>
              {status ? t.emptyFiltered : t.empty}
            </EmptyState>
          )}
        </Stack>
      ) : null}
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
