import { Alert, Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { chunkOf } from '../../ui/chunk.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Board } from './board.tsx';
import { useBoard } from './board-data.ts';
import { PipelineMenu } from './pipeline-actions.tsx';
import { texts } from './texts.ts';

// Parts that are opened by a press are not loaded with the board.
const NewCardDialog = chunkOf(() => import('./new-card-dialog.tsx'));

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
      {creating ? <NewCardDialog.Component pipeline={pipeline} onClose={() => setCreating(false)} /> : null}
    </>
  );
};

/** A pipeline's board. */
export default function BoardPage() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const board = useBoard(id);
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
      {board.data ? <Board board={board.data} /> : null}
    </Page>
  );
}
