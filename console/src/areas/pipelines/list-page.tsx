import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { SquareKanban } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline, PipelinePage } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink, Status, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [nome, setNome] = useState('');
  const [stages, setStages] = useState('');
  const creating = useMutation({
    mutationFn: () => {
      const open = linesOf(stages).map((name) => ({ nome: name }));
      const ends = [
        { nome: t.statuses.ganho, tipo: 'ganho' as const },
        { nome: t.statuses.perdido, tipo: 'perdido' as const },
      ];
      return api.pipelines.create({ nome: nome.trim(), ...(open.length > 0 ? { estagios: [...open, ...ends] } : {}) });
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['pipelines'] });
      await navigate({ to: `/pipelines/${id}` });
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
      <TextInput
        label={t.nome}
        required
        data-autofocus
        value={nome}
        onChange={({ currentTarget }) => setNome(currentTarget.value)}
      />
      <Textarea
        label={t.stageNames}
        autosize
        minRows={3}
        value={stages}
        onChange={({ currentTarget }) => setStages(currentTarget.value)}
      />
    </Confirm>
  );
};

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  return useMemo(
    () => [
      { name: 'includeArchived', label: t.includeArchived, kind: 'choice', choices: [{ value: 'true', label: t.yes }] },
    ],
    [t],
  );
};

const useColumns = ({ cardCounts = {}, openStageCounts = {} }: Partial<PipelinePage>): readonly Column<Pipeline>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    {
      key: 'nome',
      title: t.nome,
      cell: ({ id, nome }) => (
        <AppLink to={`/pipelines/${id}`} className="breakable">
          {nome}
        </AppLink>
      ),
    },
    { key: 'cards', title: t.cards, alignEnd: true, cell: ({ id }) => format.number(cardCounts[id] ?? 0) },
    { key: 'stages', title: t.openStages, alignEnd: true, cell: ({ id }) => format.number(openStageCounts[id] ?? 0) },
    {
      key: 'status',
      title: t.status,
      cell: ({ arquivado }) => (
        <Status tone={arquivado ? 'neutral' : 'good'}>{arquivado ? t.archived : t.active}</Status>
      ),
    },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
};

/** The pipelines: at most 50. */
export default function PipelinesPage() {
  const t = useTexts(texts);
  const may = useMay();
  const fields = useFields();
  const filters = useFilterValues(fields) as { includeArchived?: 'true' };
  const [creating, setCreating] = useState(false);
  const list = useQuery<PipelinePage>({
    queryKey: ['pipelines', filters],
    queryFn: async ({ signal }) => api.pipelines.list({ ...filters, contagem: 'true', limit: 50 }, { signal }),
  });
  const columns = useColumns(list.data ?? {});
  const create = may('crm:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
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
            <EmptyState icon={SquareKanban} title={t.emptyTitle}>
              {t.empty}
            </EmptyState>
          )}
        </Stack>
      ) : null}
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
