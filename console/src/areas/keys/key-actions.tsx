import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { ApiKey } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

const RotateDialog = ({ apiKey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const rotating = useMutation({
    mutationFn: () => api.keys.rotate(apiKey.id, {}),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (rotating.data)
    return (
      <SecretDialog
        title={`${t.rotate}: ${apiKey.name}`}
        label={t.secret}
        hint={t.secretHint}
        secret={rotating.data.key}
        done={t.done}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`${t.rotate}: ${apiKey.name}`}
      hint={t.rotateHint}
      action={t.rotate}
      onConfirm={() => rotating.mutate()}
      busy={rotating.isPending}
      error={rotating.error}
    />
  );
};

const RevokeDialog = ({ apiKey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [onlyThis, setOnlyThis] = useState(false);
  const revoking = useMutation({
    mutationFn: () => api.keys.revoke(apiKey.id, onlyThis ? { only: 'this' } : {}),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      dangerous
      onClose={onClose}
      title={`${t.revoke}: ${apiKey.name}`}
      hint={t.revokeHint}
      action={t.revoke}
      onConfirm={() => revoking.mutate()}
      busy={revoking.isPending}
      error={revoking.error}
    >
      <Checkbox
        label={t.onlyThis}
        checked={onlyThis}
        onChange={({ currentTarget }) => setOnlyThis(currentTarget.checked)}
      />
    </Confirm>
  );
};

const DIALOGS = { rotate: RotateDialog, revoke: RevokeDialog } as const;

/** What can be done with a key that works. */
export const KeyActions = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const t = useTexts(texts);
  const [action, setAction] = useState<keyof typeof DIALOGS>();
  const Dialog = action && DIALOGS[action];
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t.more(apiKey.name)}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {(['rotate', 'revoke'] as const).map((each) => (
            <Menu.Item key={each} onClick={() => setAction(each)}>
              {t[each]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {Dialog ? <Dialog apiKey={apiKey} onClose={() => setAction(undefined)} /> : null}
    </>
  );
};
