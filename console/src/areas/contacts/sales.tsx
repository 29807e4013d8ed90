import { Button, Stack } from '@mantine/core';
import { Handshake, ListTodo } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fromLocal } from '../../app/local-time.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Activity, ActivityPage, Card, CardPage } from '../../sdk.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Amount } from '../../ui/amount.tsx';
import { type Column, linkColumn } from '../../ui/data-table.tsx';
import { ChoiceField, choicesOf, TextAreaField, TextField } from '../../ui/fields.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { emptyState } from '../../ui/states.tsx';
import { CARD_TONES, StateOf, Status, Time } from '../../ui/values.tsx';
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
        if (!may('crm:write')) return t.open;
        return (
          <ActionButton
            size="xs"
            label={t.complete}
            act={() => api.activities.complete(activity.id)}
            invalidates={[['contact', contactId, 'activities']]}
          />
        );
      },
    },
  ];
};

/** Calls, meetings, tasks and notes about a contact. */
export const Activities = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).activities;
  const may = useMay();
  const [adding, setAdding] = useState(false);
  const list = usePagedList<ActivityPage>({
    queryKey: ['contact', id, 'activities'],
    read: (query, signal) => api.activities.list({ contatoId: id, ...query }, { signal }),
    limit: LIMIT,
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
        empty={emptyState(ListTodo, t.emptyTitle, t.empty)}
      />
      {adding ? <AddActivityDialog id={id} onClose={() => setAdding(false)} /> : null}
    </Stack>
  );
};

/** The deals of a contact, as the pipelines have them. */
export const Deals = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).deals;
  const list = usePagedList<CardPage>({
    queryKey: ['contact', id, 'cards'],
    read: (query, signal) => api.cards.ofContact(id, query, { signal }),
    limit: LIMIT,
  });
  const columns: readonly Column<Card>[] = [
    linkColumn(
      t.title,
      (card) => `/pipelines/${card.pipelineId}/cards/${card.id}`,
      ({ titulo }) => titulo,
    ),
    {
      key: 'value',
      title: t.value,
      alignEnd: true,
      cell: ({ valor, moeda }) => <Amount value={valor} currency={moeda} />,
    },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={CARD_TONES} words={t.statuses} />,
    },
  ];
  return (
    <PagedList
      query={list}
      limit={LIMIT}
      caption={t.title}
      columns={columns}
      keyOf={(card) => card.id}
      empty={emptyState(Handshake, t.emptyTitle, t.empty)}
    />
  );
};
