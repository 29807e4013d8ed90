import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Card, Pipeline, Stage } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { cardChanges, cardDraft } from './card-draft.ts';
import { CardFields } from './card-form.tsx';
import { LostDialog, MissingDialog, missingFields } from './move-dialogs.tsx';
import { texts } from './texts.ts';

type Action = 'edit' | 'move' | 'lost' | 'reopen' | 'remove';

interface DialogProps {
  readonly card: Card;
  readonly pipeline: Pipeline;
  readonly onClose: () => void;
}

/** The queries that a change of a card invalidates. */
const changed = ({ id, pipelineId }: Card) => [
  ['card', id],
  ['board', pipelineId],
];

const EditDialog = ({ card, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [before] = useState(() => cardDraft(card));
  const [draft, setDraft] = useState(before);
  return (
    <ActionDialog
      title={t.edit}
      action={t.save}
      act={() => api.cards.change(card.id, cardChanges(before, draft))}
      invalidates={changed(card)}
      onClose={onClose}
    >
      <CardFields draft={draft} onChange={setDraft} />
    </ActionDialog>
  );
};

interface StageDialogProps extends DialogProps {
  readonly action: 'move' | 'reopen';
}

/** Moves a card to another stage, or reopens it; asks for what the stage requires and the card lacks. */
const StageDialog = ({ card, pipeline, action, onClose }: StageDialogProps) => {
  const t = useTexts(texts);
  const isMove = action === 'move';
  // A won or lost card must be reopened first.
  const isOpen = card.status === 'aberto';
  const offered = pipeline.estagios.filter(({ id, tipo }) =>
    isMove && isOpen ? id !== card.estagioId : tipo === 'aberto',
  );
  const [stageId, setStageId] = useState(isMove ? (offered[0]?.id ?? '') : '');
  const stage = pipeline.estagios.find(({ id }) => id === stageId);
  const asksWhy = isMove && stage?.tipo === 'perdido' && card.status !== 'perdido';
  const [askingWhy, setAskingWhy] = useState(false);
  const moving = useAction(
    (motivoPerda: string | undefined) =>
      isMove
        ? api.cards.move(card.id, { estagioId: stageId, ...(motivoPerda === undefined ? {} : { motivoPerda }) })
        : api.cards.reopen(card.id, stageId === '' ? {} : { estagioId: stageId }),
    { invalidates: changed(card), onDone: onClose },
  );
  const missing = stage ? missingFields(moving.error, stage) : [];
  if (stage && missing.length > 0)
    return (
      <MissingDialog
        card={card}
        stage={stage}
        fields={missing}
        onClose={onClose}
        onFilled={() => moving.mutate(moving.variables)}
      />
    );
  if (askingWhy)
    return (
      <LostDialog
        card={card}
        onClose={onClose}
        onReason={(reason) => moving.mutate(reason)}
        busy={moving.isPending}
        error={moving.error}
      />
    );
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`${t[action]}: ${card.titulo}`}
      hint={isMove ? '' : t.reopenHint}
      action={t[action]}
      onConfirm={() => (asksWhy ? setAskingWhy(true) : moving.mutate(undefined))}
      busy={moving.isPending}
      error={moving.error}
    >
      <NativeSelect
        label={t.stage}
        value={stageId}
        onChange={({ currentTarget }) => setStageId(currentTarget.value)}
        data={[
          ...(isMove ? [] : [{ value: '', label: t.fromWhere }]),
          ...offered.map(({ id, nome }) => ({ value: id, label: nome })),
        ]}
      />
    </Confirm>
  );
};

const LoseDialog = ({ card, onClose }: DialogProps) => {
  const lose = (motivoPerda: string) => api.cards.lost(card.id, { motivoPerda });
  const losing = useAction(lose, { invalidates: changed(card), onDone: onClose });
  return (
    <LostDialog
      card={card}
      onClose={onClose}
      onReason={(reason) => losing.mutate(reason)}
      busy={losing.isPending}
      error={losing.error}
    />
  );
};

const RemoveDialog = ({ card, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <DeleteDialog
      title={`${t.removeCard}: ${card.titulo}`}
      hint={t.removeCardHint}
      action={t.remove}
      remove={() => api.cards.delete(card.id)}
      leadsTo={`/pipelines/${card.pipelineId}`}
      invalidates={[['board', card.pipelineId]]}
      onClose={onClose}
    />
  );
};

const DIALOGS = { edit: EditDialog, lost: LoseDialog, remove: RemoveDialog } as const;

interface WonProps {
  readonly card: Card;
  /** The stage that it goes to, if the pipeline has one. */
  readonly stage: Stage | undefined;
}

/** Marks a card as won; asks for what the stage of won ones requires. */
const WonButton = ({ card, stage }: WonProps) => {
  const t = useTexts(texts);
  const winning = useAction(() => api.cards.won(card.id), { invalidates: changed(card) });
  const missing = stage ? missingFields(winning.error, stage) : [];
  return (
    <>
      <Button onClick={() => winning.mutate()} loading={winning.isPending}>
        {t.markWon}
      </Button>
      {stage && missing.length > 0 ? (
        <MissingDialog
          card={card}
          stage={stage}
          fields={missing}
          onClose={() => winning.reset()}
          onFilled={() => winning.mutate()}
        />
      ) : (
        <ProblemView error={winning.error} />
      )}
    </>
  );
};

/** The actions on a card in its status that the person may do. */
export const CardActions = ({ card, pipeline }: Omit<DialogProps, 'onClose'>) => {
  const t = useTexts(texts);
  const may = useMay();
  const [action, setAction] = useState<Action>();
  const isOpen = card.status === 'aberto';
  const onClose = () => setAction(undefined);
  const Dialog = action && action !== 'move' && action !== 'reopen' ? DIALOGS[action] : undefined;
  const labels = { edit: t.edit, move: t.move, lost: t.markLost, reopen: t.reopen, remove: t.removeCard };
  const moves: readonly Action[] = pipeline.arquivado ? [] : ['move', isOpen ? 'lost' : 'reopen'];
  const offered: readonly Action[] = [
    ...(may('crm:write') ? (['edit', ...moves] as const) : []),
    ...(may('crm:delete') ? (['remove'] as const) : []),
  ];
  return (
    <>
      {may('crm:write') && isOpen && !pipeline.arquivado ? (
        <WonButton card={card} stage={pipeline.estagios.find(({ tipo }) => tipo === 'ganho')} />
      ) : null}
      {offered.map((each) => (
        <Button key={each} variant="default" onClick={() => setAction(each)}>
          {labels[each]}
        </Button>
      ))}
      {Dialog ? <Dialog card={card} pipeline={pipeline} onClose={onClose} /> : null}
      {action === 'move' || action === 'reopen' ? (
        <StageDialog card={card} pipeline={pipeline} action={action} onClose={onClose} />
      ) : null}
    </>
  );
};
