import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { JourneyRow, JourneyTrigger } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { choicesOf, TextField } from '../../ui/fields.tsx';
import { choiceFilter, Filters, useFilterValues } from '../../ui/filters.tsx';
import { WholeList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { JourneyStatus } from './journey-status.tsx';
import { stepTexts } from './step-texts.ts';
import { texts } from './texts.ts';
import { TriggerFields } from './trigger-fields.tsx';

const useColumns = (): readonly Column<JourneyRow>[] => {
  const t = useTexts(texts);
  const kinds: Readonly<Record<string, string>> = useTexts(stepTexts).kinds;
  const format = useFormat();
  return [
    nameColumn(t.columns.name, '/journeys', 'name'),
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
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [trigger, setTrigger] = useState<JourneyTrigger>({ tipo: 'manual' });
  const create = () =>
    api.journeys.create({
      name,
      gatilho: trigger,
      reentrada: 'nunca',
      passos: [{ chave: 'fim', tipo: 'sair', config: {} }],
      ligacoes: [],
    });
  return (
    <ActionDialog
      title={t.create}
      hint={t.createHint}
      act={create}
      invalidates={[['journeys']]}
      onDone={({ id }) => navigate({ to: `/journeys/${id}` })}
      onClose={onClose}
    >
      <TextField name="name" required label={t.name} value={name} onChange={setName} />
      <TriggerFields trigger={trigger} onChange={setTrigger} />
    </ActionDialog>
  );
};

/** Every version of a journey that is not archived. */
export default function JourneysPage() {
  const t = useTexts(texts);
  const may = useMay();
  const [creating, setCreating] = useState(false);
  const fields = useMemo(() => {
    const { arquivada: _, ...listed } = t.statuses;
    return [choiceFilter('status', t.columns.status, choicesOf(listed))];
  }, [t]);
  const { status } = useFilterValues(fields);
  // The operation answers all of them, 200 at most.
  const list = useQuery({ queryKey: ['journeys'], queryFn: ({ signal }) => api.journeys.list({ signal }) });
  const create = may('campaigns:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <WholeList
        query={list}
        select={({ items }) => items.filter((row) => status === undefined || row.status === status)}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(Workflow, t.emptyTitle, status ? t.emptyFiltered : t.empty)}
      />
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
