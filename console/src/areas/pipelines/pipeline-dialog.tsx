import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { texts } from './texts.ts';

export type PipelineAction = 'rename' | 'archive' | 'unarchive' | 'remove';

interface DialogProps {
  readonly pipeline: Pipeline;
  readonly action: PipelineAction;
  readonly onClose: () => void;
}

/** Does one of them, once one confirms. */
export default function PipelineDialog({ pipeline, action, onClose }: DialogProps) {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [nome, setNome] = useState(pipeline.nome);
  const calls = {
    rename: () => api.pipelines.change(pipeline.id, { nome: nome.trim() }),
    archive: () => api.pipelines.archive(pipeline.id),
    unarchive: () => api.pipelines.unarchive(pipeline.id),
    remove: () => api.pipelines.delete(pipeline.id),
  };
  const acting = useMutation({
    mutationFn: (): Promise<unknown> => calls[action](),
    onSuccess: async () => {
      if (action === 'remove') await navigate({ to: '/pipelines' });
      else await queries.invalidateQueries({ queryKey: ['board', pipeline.id] });
      void queries.invalidateQueries({ queryKey: ['pipelines'] });
      onClose();
    },
  });
  const hints = { rename: '', archive: t.archiveHint, unarchive: '', remove: t.removeHint };
  return (
    <Confirm
      opened
      onClose={onClose}
      dangerous={action === 'remove'}
      title={`${t[action]}: ${pipeline.nome}`}
      hint={hints[action]}
      action={action === 'rename' ? t.save : t[action]}
      onConfirm={() => acting.mutate()}
      busy={acting.isPending}
      error={acting.error}
    >
      {action === 'rename' ? (
        <TextInput
          label={t.nome}
          required
          data-autofocus
          value={nome}
          onChange={({ currentTarget }) => setNome(currentTarget.value)}
        />
      ) : null}
    </Confirm>
  );
}
