import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Pipeline } from '../../sdk.ts';
import { chunkOf } from '../../ui/chunk.tsx';
import type { PipelineAction } from './pipeline-dialog.tsx';
import { texts } from './texts.ts';

const PipelineDialog = chunkOf(() => import('./pipeline-dialog.tsx'));

/** The actions on a pipeline that the person may do. */
export const PipelineMenu = ({ pipeline }: { readonly pipeline: Pipeline }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [action, setAction] = useState<PipelineAction>();
  const writes: readonly PipelineAction[] = ['rename', pipeline.arquivado ? 'unarchive' : 'archive'];
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
      {action ? (
        <PipelineDialog.Component pipeline={pipeline} action={action} onClose={() => setAction(undefined)} />
      ) : null}
    </>
  );
};
