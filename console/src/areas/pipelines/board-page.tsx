import { Alert, Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Board } from './board.tsx';
import { useBoard } from './board-data.ts';
import { cardDraft, cardValues } from './card-draft.ts';
import { CardFields } from './card-form.tsx';
import { PipelineMenu } from './pipeline-actions.tsx';
import { texts } from './texts.ts';

const NewCardDialog = ({ pipeline, onClose }: { readonly pipeline: Pipeline; readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => cardDraft({}));
  const creating = useMutation({
    mutationFn: () => api.cards.create({ pipelineId: pipeline.id, ...cardValues(draft) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['board', pipeline.id] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.newCard}
      action={t.newCard}
      onConfirm={() => creating.mutate()}
      busy={creating.isPending}
      error={creating.error}
    >
      <CardFields draft={draft} onChange={setDraft} />
    </Confirm>
  );
};

const BoardActions = ({ pipeline }: { readonly pipeline: Pipeline }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [creating, setCreating] = useState(false);
  return (
    <>
      <Button component={Link} to={`/pipelines/${pipeline.id}/forecast`} variant="default">
        {t.forecast}
      </Button>
      <Button component={Link} to={`/pipelines/${pipeline.id}/stages`} variant="default">
        {t.stages}
      </Button>
      {may('crm:write') && !pipeline.arquivado ? <Button onClick={() => setCreating(true)}>{t.newCard}</Button> : null}
      <PipelineMenu pipeline={pipeline} />
      {creating ? <NewCardDialog pipeline={pipeline} onClose={() => setCreating(false)} /> : null}
    </>
  );
};

/** A pipeline's board. */
export default function BoardPage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const [dragging, setDragging] = useState(false);
  const board = useBoard(id, dragging);
  const pipeline = board.data?.pipeline;
  return (
    <Page title={pipeline?.nome ?? t.pipeline} actions={pipeline ? <BoardActions pipeline={pipeline} /> : null}>
      <ProblemView error={board.error} onRetry={() => void board.refetch()} />
      {board.isPending && !board.error ? <Loading /> : null}
      {pipeline?.arquivado ? (
        <Alert color="yellow" variant="outline" title={t.archived}>
          {t.archivedHint}
        </Alert>
      ) : null}
      {board.data ? <Board board={board.data} dragging={dragging} onDragging={setDragging} /> : null}
    </Page>
  );
}
