import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline, Stage } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { AppLink } from '../../ui/values.tsx';
import { useFieldName } from './card-draft.ts';
import { newStage, StageFields, stageChanges, stageDraft } from './stage-form.tsx';
import { texts } from './texts.ts';

const keyOf = (id: string) => ['pipeline', id];

/** The queries that a change of a pipeline's stages invalidates. */
const changed = (id: string) => [keyOf(id), ['board', id]];

interface DialogProps {
  readonly pipelineId: string;
  readonly onClose: () => void;
}

/** Changes a stage, or adds one at the end. */
const StageDialog = ({ pipelineId, stage, onClose }: DialogProps & { readonly stage?: Stage | undefined }) => {
  const t = useTexts(texts);
  const [draft, setDraft] = useState(() => stageDraft(stage ?? {}));
  return (
    <ActionDialog<unknown>
      title={stage ? t.editStage(stage.nome) : t.addStage}
      action={t.save}
      act={() =>
        stage
          ? api.pipelines.changeStage(pipelineId, stage.id, stageChanges(stage, draft))
          : api.pipelines.addStage(pipelineId, newStage(draft))
      }
      invalidates={changed(pipelineId)}
      onClose={onClose}
    >
      <StageFields draft={draft} onChange={setDraft} />
    </ActionDialog>
  );
};

const DeleteStageDialog = ({ pipelineId, stage, onClose }: DialogProps & { readonly stage: Stage }) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      dangerous
      title={t.removeStage(stage.nome)}
      hint={t.removeStageHint}
      action={t.remove}
      act={() => api.pipelines.deleteStage(pipelineId, stage.id)}
      invalidates={changed(pipelineId)}
      onClose={onClose}
    />
  );
};

interface ActionsProps {
  readonly pipeline: Pipeline;
  readonly stage: Stage;
  readonly onOrder: (ids: string[]) => void;
  readonly busy: boolean;
}

const StageActions = ({ pipeline, stage, onOrder, busy }: ActionsProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const [action, setAction] = useState<'edit' | 'remove'>();
  const close = () => setAction(undefined);
  const ids = pipeline.estagios.map(({ id }) => id);
  const at = ids.indexOf(stage.id);
  const shift = (by: -1 | 1) => onOrder(ids.toSpliced(at, 1).toSpliced(at + by, 0, stage.id));
  return (
    <Group gap={2} justify="flex-end" wrap="nowrap">
      <IconButton label={t.up(stage.nome)} disabled={at === 0 || busy} onClick={() => shift(-1)}>
        <ArrowUp size={16} aria-hidden />
      </IconButton>
      <IconButton label={t.down(stage.nome)} disabled={at === ids.length - 1 || busy} onClick={() => shift(1)}>
        <ArrowDown size={16} aria-hidden />
      </IconButton>
      <IconButton label={t.editStage(stage.nome)} onClick={() => setAction('edit')}>
        <Pencil size={16} aria-hidden />
      </IconButton>
      {may('crm:delete') ? (
        <IconButton label={t.removeStage(stage.nome)} onClick={() => setAction('remove')}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      ) : null}
      {action === 'edit' ? <StageDialog pipelineId={pipeline.id} stage={stage} onClose={close} /> : null}
      {action === 'remove' ? <DeleteStageDialog pipelineId={pipeline.id} stage={stage} onClose={close} /> : null}
    </Group>
  );
};

const useColumns = (actions: ((stage: Stage) => ReactNode) | undefined): readonly Column<Stage>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const nameOf = useFieldName();
  return [
    { key: 'nome', title: t.nome, cell: ({ nome }) => <span className="breakable">{nome}</span> },
    { key: 'tipo', title: t.stageKind, cell: ({ tipo }) => t.statuses[tipo] },
    {
      key: 'probabilidade',
      title: t.probability,
      alignEnd: true,
      cell: ({ probabilidade }) => (probabilidade === undefined ? '—' : format.percent(probabilidade / 100)),
    },
    {
      key: 'tempo',
      title: t.longest,
      alignEnd: true,
      cell: ({ tempoMaximoDias }) => (tempoMaximoDias === undefined ? '—' : format.number(tempoMaximoDias)),
    },
    {
      key: 'campos',
      title: t.required,
      cell: ({ camposObrigatorios }) => camposObrigatorios.map(nameOf).join(', ') || '—',
    },
    ...(actions ? [{ key: 'actions', title: t.actions, alignEnd: true, cell: actions }] : []),
  ];
};

const Stages = ({ pipeline }: { readonly pipeline: Pipeline }) => {
  const t = useTexts(texts);
  const may = useMay();
  const order = (estagios: string[]) => api.pipelines.orderStages(pipeline.id, { estagios });
  const ordering = useAction(order, { invalidates: changed(pipeline.id) });
  const columns = useColumns(
    may('crm:write')
      ? (stage) => (
          <StageActions
            pipeline={pipeline}
            stage={stage}
            onOrder={(ids) => ordering.mutate(ids)}
            busy={ordering.isPending}
          />
        )
      : undefined,
  );
  return (
    <>
      <ProblemView error={ordering.error} />
      <DataTable caption={t.stages} columns={columns} rows={pipeline.estagios} keyOf={({ id }) => id} />
    </>
  );
};

/** The stages of a pipeline, and their order. */
export default function StagesPage() {
  const t = useTexts(texts);
  const may = useMay();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const [adding, setAdding] = useState(false);
  const pipeline = useQuery({ queryKey: keyOf(id), queryFn: ({ signal }) => api.pipelines.get(id, { signal }) });
  return (
    <Page
      title={pipeline.data ? `${t.stages}: ${pipeline.data.nome}` : t.stages}
      description={t.stagesHint}
      actions={
        <>
          <AppLink to={`/pipelines/${id}`}>{t.backToBoard}</AppLink>
          {may('crm:write') ? <Button onClick={() => setAdding(true)}>{t.addStage}</Button> : null}
        </>
      }
    >
      <QueryView query={pipeline}>{(data) => <Stages pipeline={data} />}</QueryView>
      {adding ? <StageDialog pipelineId={id} onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}
