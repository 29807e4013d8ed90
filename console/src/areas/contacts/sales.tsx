import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Handshake, ListTodo } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fromLocal } from '../../app/local-time.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Activity, ActivityPage, Card } from '../../sdk.ts';
import { ActionDialog, useAction } from '../../ui/action-dialog.tsx';
import { Amount } from '../../ui/amount.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ChoiceField, choicesOf, TextAreaField, TextField } from '../../ui/fields.tsx';
import { PagedList } from '../../ui/lists.tsx';
import { useSkip } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, StateOf, Status, Time, type Tone } from '../../ui/values.tsx';
import { pageTexts } from './page-texts.ts';

const LIMIT = 25;

const AddActivityDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useTexts(pageTexts).activities;
  const [tipo, setTipo] = useState<Activity['tipo']>('tarefa');
  const [titulo, setTitulo] = useState('');
  const [descricao, setDescricao] = useState('');
  const [due, setDue] = useState('');
  const venceEm = fromLocal(due);
  const create = () =>
    api.activities.create({
      tipo,
      titulo,
      contatoId: id,
      ...(descricao === '' ? {} : { descricao }),
      ...(venceEm === undefined ? {} : { venceEm }),
    });
  return (
    <ActionDialog title={t.add} act={create} invalidates={[['contact', id, 'activities']]} onClose={onClose}>
      <ChoiceField name="tipo" label={t.kind} value={tipo} onChange={setTipo} choices={choicesOf(t.kinds)} />
      <TextField name="titulo" required label={t.title} value={titulo} onChange={setTitulo} />
      <TextAreaField name="descricao" label={t.description} value={descricao} onChange={setDescricao} />
      <TextField name="venceEm" type="datetime-local" label={t.dueAt} value={due} onChange={setDue} />
    </ActionDialog>
  );
};

const Complete = ({ activity, contactId }: { readonly activity: Activity; readonly contactId: string }) => {
  const t = useTexts(pageTexts).activities;
  const completing = useAction(() => api.activities.complete(activity.id), {
    invalidates: [['contact', contactId, 'activities']],
  });
  return (
    <>
      <Button size="xs" variant="default" loading={completing.isPending} onClick={() => completing.mutate()}>
        {t.complete}
      </Button>
      <ProblemView error={completing.error} />
    </>
  );
};

const useActivityColumns = (contactId: string): readonly Column<Activity>[] => {
  const t = useTexts(pageTexts).activities;
  const may = useMay();
  return [
    { key: 'kind', title: t.kind, cell: ({ tipo }) => t.kinds[tipo] },
    { key: 'title', title: t.title, cell: ({ titulo }) => <span className="breakable">{titulo}</span> },
    { key: 'due', title: t.dueAt, cell: ({ venceEm }) => <Time at={venceEm} /> },
    {
      key: 'status',
      title: t.status,
      cell: (activity) => {
        if (activity.concluida) return <Status tone="good">{t.done}</Status>;
        return may('crm:write') ? <Complete activity={activity} contactId={contactId} /> : t.open;
      },
    },
  ];
};

/** Calls, meetings, tasks and notes about a contact. */
export const Activities = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).activities;
  const may = useMay();
  const skip = useSkip(LIMIT);
  const [adding, setAdding] = useState(false);
  const list = useQuery<ActivityPage>({
    queryKey: ['contact', id, 'activities', skip],
    queryFn: async ({ signal }) => api.activities.list({ contatoId: id, limit: LIMIT, skip }, { signal }),
  });
  return (
    <Stack align="stretch">
      {may('crm:write') ? (
        <Button style={{ alignSelf: 'flex-start' }} variant="default" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      ) : null}
      <PagedList
        query={list}
        limit={LIMIT}
        caption={t.title}
        columns={useActivityColumns(id)}
        keyOf={(activity) => activity.id}
        empty={
          <EmptyState icon={ListTodo} title={t.emptyTitle}>
            {t.empty}
          </EmptyState>
        }
      />
      {adding ? <AddActivityDialog id={id} onClose={() => setAdding(false)} /> : null}
    </Stack>
  );
};

const TONES: Readonly<Record<Card['status'], Tone>> = { aberto: 'pending', ganho: 'good', perdido: 'bad' };

/** The deals of a contact, as the pipelines have them. */
export const Deals = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).deals;
  const skip = useSkip(LIMIT);
  const list = useQuery({
    queryKey: ['contact', id, 'cards', skip],
    queryFn: async ({ signal }) => api.cards.ofContact(id, { limit: LIMIT, skip }, { signal }),
  });
  const columns: readonly Column<Card>[] = [
    {
      key: 'title',
      title: t.title,
      cell: ({ id: cardId, pipelineId, titulo }) => (
        <AppLink to={`/pipelines/${pipelineId}/cards/${cardId}`} className="breakable">
          {titulo}
        </AppLink>
      ),
    },
    {
      key: 'value',
      title: t.value,
      alignEnd: true,
      cell: ({ valor, moeda }) => <Amount value={valor} currency={moeda} />,
    },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={TONES} words={t.statuses} />,
    },
  ];
  return (
    <PagedList
      query={list}
      limit={LIMIT}
      caption={t.title}
      columns={columns}
      keyOf={(card) => card.id}
      empty={
        <EmptyState icon={Handshake} title={t.emptyTitle}>
          {t.empty}
        </EmptyState>
      }
    />
  );
};
