import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { cardDraft, cardValues } from './card-draft.ts';
import { CardFields } from './card-form.tsx';
import { texts } from './texts.ts';

/** Takes what is known of a new deal, and creates it. */
export default function NewCardDialog({
  pipeline,
  onClose,
}: {
  readonly pipeline: Pipeline;
  readonly onClose: () => void;
}) {
  const t = useTexts(texts);
  const [draft, setDraft] = useState(() => cardDraft({}));
  return (
    <ActionDialog
      title={t.newCard}
      act={() => api.cards.create({ pipelineId: pipeline.id, ...cardValues(draft) })}
      invalidates={[['board', pipeline.id]]}
      onClose={onClose}
    >
      <CardFields draft={draft} onChange={setDraft} />
    </ActionDialog>
  );
}
