import { ActionIcon, Menu, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { texts } from './texts.ts';

type Action = 'rename' | 'archive' | 'unarchive' | 'remove';

interface DialogProps {
  readonly pipeline: Pipeline;
  readonly action: Action;
  readonly onClose: () => void;
}

const ActionDialog = ({ pipeline, action, onClose }: DialogProps) => {
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
};

/** What can be done with a pipeline, by who may. */
export const PipelineMenu = ({ pipeline }: { readonly pipeline: Pipeline }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [action, setAction] = useState<Action>();
  const writes: readonly Action[] = ['rename', pipeline.arquivado ? 'unarchive' : 'archive'];
  const offered = [...(may('crm:write') ? writes : []), ...(may('crm:delete') ? (['remove'] as const) : [])];
  if (offered.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t.more}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {offered.map((each) => (
            <Menu.Item key={each} onClick={() => setAction(each)}>
              {t[each]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {action ? <ActionDialog pipeline={pipeline} action={action} onClose={() => setAction(undefined)} /> : null}
    </>
  );
};
