import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { ApiKey } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

const RotateDialog = ({ apiKey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const title = `${t.rotate}: ${apiKey.name}`;
  return (
    <ActionDialog
      title={title}
      hint={t.rotateHint}
      action={t.rotate}
      act={() => api.keys.rotate(apiKey.id, {})}
      invalidates={[['keys']]}
      onClose={onClose}
      after={({ key }) => (
        <SecretDialog title={title} label={t.secret} hint={t.secretHint} secret={key} done={t.done} onClose={onClose} />
      )}
    />
  );
};

const RevokeDialog = ({ apiKey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [onlyThis, setOnlyThis] = useState(false);
  return (
    <ActionDialog
      dangerous
      title={`${t.revoke}: ${apiKey.name}`}
      hint={t.revokeHint}
      action={t.revoke}
      act={() => api.keys.revoke(apiKey.id, onlyThis ? { only: 'this' } : {})}
      invalidates={[['keys']]}
      onClose={onClose}
    >
      <Checkbox
        label={t.onlyThis}
        checked={onlyThis}
        onChange={({ currentTarget }) => setOnlyThis(currentTarget.checked)}
      />
    </ActionDialog>
  );
};

const DIALOGS = { rotate: RotateDialog, revoke: RevokeDialog } as const;

/** The actions on an active key. */
export const KeyActions = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const t = useTexts(texts);
  const [action, setAction] = useState<keyof typeof DIALOGS>();
  const Dialog = action && DIALOGS[action];
  return (
    <>
      <ActionMenu
        label={t.more(apiKey.name)}
        items={(['rotate', 'revoke'] as const).map((value) => ({ value, label: t[value] }))}
        onChoose={setAction}
      />
      {Dialog ? <Dialog apiKey={apiKey} onClose={() => setAction(undefined)} /> : null}
    </>
  );
};
