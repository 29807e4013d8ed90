import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { SquareKanban } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline, PipelinePage } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { WholeList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Status, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [nome, setNome] = useState('');
  const [stages, setStages] = useState('');
  const create = () => {
    const open = linesOf(stages).map((name) => ({ nome: name }));
    const ends = [
      { nome: t.statuses.ganho, tipo: 'ganho' as const },
      { nome: t.statuses.perdido, tipo: 'perdido' as const },
    ];
    return api.pipelines.create({ nome: nome.trim(), ...(open.length > 0 ? { estagios: [...open, ...ends] } : {}) });
  };
  return (
    <ActionDialog
      title={t.create}
      hint={t.createHint}
      act={create}
      invalidates={[['pipelines']]}
      onDone={({ id }) => navigate({ to: `/pipelines/${id}` })}
      onClose={onClose}
    >
      <TextField name="nome" required data-autofocus label={t.nome} value={nome} onChange={setNome} />
      <TextAreaField name="estagios" label={t.stageNames} value={stages} onChange={setStages} />
    </ActionDialog>
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
    nameColumn(t.nome, '/pipelines', 'nome'),
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
  const create = may('crm:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <WholeList
        query={list}
        select={({ items }) => items}
        caption={t.title}
        columns={useColumns(list.data ?? {})}
        keyOf={({ id }) => id}
        empty={emptyState(SquareKanban, t.emptyTitle, t.empty)}
      />
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
