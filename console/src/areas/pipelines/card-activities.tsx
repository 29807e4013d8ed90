import { ActionIcon, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fromLocal } from '../../app/local-time.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Activity, ActivityPage } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { MemberField, MemberName } from '../../ui/members.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Status, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const KINDS = ['ligacao', 'reuniao', 'tarefa', 'email', 'outro'] as const satisfies readonly Activity['tipo'][];
const LIMIT = 200;
const EMPTY = { titulo: '', descricao: '', responsavelId: '', venceEm: '', lembrete: '' };

interface CardProps {
  readonly cardId: string;
}

const useActivityAction = <T,>(cardId: string, act: (value: T) => Promise<unknown>, onDone?: () => void) =>
  useAction(act, { invalidates: [['card', cardId, 'activities']], ...(onDone ? { onDone } : {}) });

const NewActivityDialog = ({ cardId, onClose }: CardProps & { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const [tipo, setTipo] = useState<Activity['tipo']>('tarefa');
  const [draft, setDraft] = useState(EMPTY);
  const set = (name: keyof typeof EMPTY) => (value: string) => setDraft({ ...draft, [name]: value });
  const text = (name: keyof typeof EMPTY) => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      set(name)(currentTarget.value),
  });
  const creating = useActivityAction(
    cardId,
    () => {
      const { titulo, descricao, responsavelId, lembrete } = draft;
      const venceEm = fromLocal(draft.venceEm);
      return api.activities.create({
        cardId,
        tipo,
        titulo: titulo.trim(),
        ...(descricao.trim() === '' ? {} : { descricao: descricao.trim() }),
        ...(responsavelId === '' ? {} : { responsavelId }),
        ...(venceEm === undefined ? {} : { venceEm }),
        ...(lembrete === '' ? {} : { lembreteMinutos: Number(lembrete) }),
      });
    },
    onClose,
  );
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.newActivity}
      action={t.newActivity}
      onConfirm={() => creating.mutate(undefined)}
      busy={creating.isPending}
      error={creating.error}
    >
      <NativeSelect
        label={t.kind}
        value={tipo}
        onChange={({ currentTarget }) => setTipo(currentTarget.value as Activity['tipo'])}
        data={KINDS.map((value) => ({ value, label: t.kinds[value] }))}
      />
      <TextInput {...text('titulo')} label={t.fields.titulo} required data-autofocus />
      <Textarea {...text('descricao')} label={t.details} autosize minRows={2} />
      <TextInput {...text('venceEm')} label={t.due} type="datetime-local" />
      <TextInput {...text('lembrete')} label={t.reminder} type="number" min={1} disabled={draft.venceEm === ''} />
      <MemberField label={t.fields.responsavelId} value={draft.responsavelId} onChange={set('responsavelId')} />
    </Confirm>
  );
};

const ActivityStatus = ({ concluida, venceEm }: Activity) => {
  const t = useTexts(texts);
  if (concluida) return <Status tone="good">{t.done}</Status>;
  const isLate = venceEm !== undefined && Date.parse(venceEm) < Date.now();
  return <Status tone={isLate ? 'bad' : 'pending'}>{isLate ? t.overdue : t.open}</Status>;
};

const Actions = ({ activity, cardId }: CardProps & { readonly activity: Activity }) => {
  const t = useTexts(texts);
  const may = useMay();
  const { id, titulo, concluida } = activity;
  const turning = useActivityAction(cardId, () =>
    concluida ? api.activities.change(id, { concluida: false }) : api.activities.complete(id),
  );
  const deleting = useActivityAction(cardId, () => api.activities.delete(id));
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <ProblemView error={turning.error ?? deleting.error} />
      <Button size="xs" variant="default" loading={turning.isPending} onClick={() => turning.mutate(undefined)}>
        {concluida ? t.reopenActivity : t.complete}
      </Button>
      {may('crm:delete') ? (
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t.removeActivity(titulo)}
          loading={deleting.isPending}
          onClick={() => deleting.mutate(undefined)}
        >
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      ) : null}
    </Group>
  );
};

const useColumns = (cardId: string): readonly Column<Activity>[] => {
  const t = useTexts(texts);
  const may = useMay();
  return [
    {
      key: 'titulo',
      title: t.fields.titulo,
      cell: ({ tipo, titulo, descricao }) => (
        <div className="breakable">
          {`${t.kinds[tipo]}: ${titulo}`}
          {descricao ? (
            <Text size="sm" c="dimmed">
              {descricao}
            </Text>
          ) : null}
        </div>
      ),
    },
    { key: 'due', title: t.due, cell: ({ venceEm }) => <Time at={venceEm} /> },
    {
      key: 'who',
      title: t.fields.responsavelId,
      cell: ({ responsavelId }) => (responsavelId ? <MemberName id={responsavelId} /> : '—'),
    },
    { key: 'status', title: t.status, cell: (activity) => <ActivityStatus {...activity} /> },
    ...(may('crm:write')
      ? [
          {
            key: 'actions',
            title: t.actions,
            alignEnd: true,
            cell: (activity: Activity) => <Actions activity={activity} cardId={cardId} />,
          },
        ]
      : []),
  ];
};

/** The activities of a card, by when they are due. */
export const CardActivities = ({ cardId }: CardProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useColumns(cardId);
  const [creating, setCreating] = useState(false);
  const list = useQuery<ActivityPage>({
    queryKey: ['card', cardId, 'activities'],
    queryFn: async ({ signal }) => api.activities.list({ cardId, limit: LIMIT }, { signal }),
  });
  return (
    <Stack gap="sm">
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading rows={2} /> : null}
      {list.data?.items.length ? (
        <DataTable caption={t.activities} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
      ) : null}
      {list.data?.items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.noActivities}
        </Text>
      ) : null}
      {may('crm:write') ? (
        <Group>
          <Button variant="default" onClick={() => setCreating(true)}>
            {t.newActivity}
          </Button>
        </Group>
      ) : null}
      {creating ? <NewActivityDialog cardId={cardId} onClose={() => setCreating(false)} /> : null}
    </Stack>
  );
};
