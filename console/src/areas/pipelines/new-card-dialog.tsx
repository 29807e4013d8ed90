import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
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
}
