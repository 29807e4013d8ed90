import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
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
  const { id } = pipeline;
  const [nome, setNome] = useState(pipeline.nome);
  const title = `${t[action]}: ${pipeline.nome}`;
  if (action === 'remove')
    return (
      <DeleteDialog
        title={title}
        hint={t.removeHint}
        action={t.remove}
        remove={() => api.pipelines.delete(id)}
        leadsTo="/pipelines"
        invalidates={[['pipelines']]}
        onClose={onClose}
      />
    );
  const calls = {
    rename: () => api.pipelines.change(id, { nome: nome.trim() }),
    archive: () => api.pipelines.archive(id),
    unarchive: () => api.pipelines.unarchive(id),
  };
  return (
    <ActionDialog<unknown>
      title={title}
      hint={action === 'archive' ? t.archiveHint : ''}
      action={action === 'rename' ? t.save : t[action]}
      act={calls[action]}
      invalidates={[['board', id], ['pipelines']]}
      onClose={onClose}
    >
      {action === 'rename' ? (
        <TextField name="nome" required data-autofocus label={t.nome} value={nome} onChange={setNome} />
      ) : null}
    </ActionDialog>
  );
}
