import { List, Modal, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { useTexts } from '../../app/texts.ts';
import { type Card, isProblem, type Stage } from '../../sdk.ts';
import { useSingleMutation } from '../../ui/action.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import type { MoveRequest, Refused } from './board-data.ts';
import { type CardField, cardChanges, cardDraft, fieldOf, useFieldName } from './card-draft.ts';
import { CardFields } from './card-form.tsx';
import { texts } from './texts.ts';

/** The fields that a card lacks for a stage, if that is why it was refused. */
export const missingFields = (error: unknown, { camposObrigatorios }: Stage): readonly string[] => {
  if (!isProblem(error, 'VALIDATION_ERROR')) return [];
  const paths = error.errors.map(({ path }) => path);
  return paths.every((path) => camposObrigatorios.includes(path)) ? paths : [];
};

interface MissingProps {
  readonly card: Card;
  readonly stage: Stage;
  readonly fields: readonly string[];
  readonly onClose: () => void;
  /** The card has them by now. */
  readonly onFilled: (card: Card) => void;
}

/** Names the fields that a stage requires and the card lacks, and takes them. */
export const MissingDialog = ({ card, stage, fields, onClose, onFilled }: MissingProps) => {
  const t = useTexts(texts);
  const nameOf = useFieldName();
  const [before] = useState(() => cardDraft(card));
  const lacking = fields.filter((field) => fieldOf(field) === 'atributos').map((field) => `${nameOf(field)} = `);
  const [draft, setDraft] = useState({
    ...before,
    atributos: [before.atributos, ...lacking].filter(Boolean).join('\n'),
  });
  const filling = useSingleMutation({
    mutationFn: () => api.cards.change(card.id, cardChanges(before, draft)),
    onSuccess: onFilled,
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.missingTitle(stage.nome)}
      hint={t.missingHint}
      action={t.fillAndMove}
      onConfirm={() => filling.mutate()}
      busy={filling.isPending}
      error={filling.error}
    >
      <List size="sm">
        {fields.map((field) => (
          <List.Item key={field}>{nameOf(field)}</List.Item>
        ))}
      </List>
      <CardFields
        draft={draft}
        onChange={setDraft}
        only={new Set(fields.map(fieldOf).filter((name): name is CardField => name !== undefined))}
      />
    </Confirm>
  );
};

interface LostProps {
  readonly card: Card;
  readonly onClose: () => void;
  readonly onReason: (reason: string) => void;
  readonly busy?: boolean;
  readonly error?: unknown;
}

/** Asks why a card is lost, before it is. */
export const LostDialog = ({ card, onClose, onReason, busy = false, error }: LostProps) => {
  const t = useTexts(texts);
  const [reason, setReason] = useState('');
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.lostTitle(card.titulo)}
      action={t.markLost}
      onConfirm={() => onReason(reason.trim())}
      busy={busy}
      error={error}
    >
      <Textarea
        label={t.fields.motivoPerda}
        required
        data-autofocus
        autosize
        minRows={2}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </Confirm>
  );
};

interface RefusedProps {
  readonly refused: Refused;
  readonly stage: Stage | undefined;
  readonly onClose: () => void;
  readonly onAgain: (request: MoveRequest) => void;
}

/** Why a card is back in its place, and what can be done about it. */
export const RefusedDialog = ({ refused, stage, onClose, onAgain }: RefusedProps) => {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const { error, ...asked } = refused;
  const { card } = asked.move;
  const missing = stage ? missingFields(error, stage) : [];
  if (stage && missing.length > 0)
    return (
      <MissingDialog
        card={card}
        stage={stage}
        fields={missing}
        onClose={onClose}
        onFilled={(filled) => {
          onClose();
          onAgain({ ...asked, move: { ...asked.move, card: filled } });
        }}
      />
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.refusedTitle(card.titulo)}
      closeButtonProps={{ 'aria-label': shell.close }}
    >
      <ProblemView error={error} />
    </Modal>
  );
};
