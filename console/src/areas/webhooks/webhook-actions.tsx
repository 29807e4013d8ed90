import { Alert, Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { fromLocal, toLocal } from '../../app/local-time.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Webhook } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField, TextField } from '../../ui/fields.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The queries that a change to a subscription invalidates. */
const changed = ({ id }: Webhook) => [['webhook', id], ['webhooks']];

const RotateDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={t.rotate}
      hint={t.rotateHint}
      act={() => api.webhooks.rotateSecret(webhook.id, {})}
      invalidates={changed(webhook)}
      onClose={onClose}
      after={({ secret }) => (
        <SecretDialog
          title={t.rotate}
          label={t.secret}
          hint={t.secretHint}
          secret={secret}
          done={t.done}
          onClose={onClose}
        />
      )}
    />
  );
};

const RevokeDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      dangerous
      title={t.revoke}
      hint={t.revokeHint}
      act={() => api.webhooks.delete(webhook.id)}
      invalidates={changed(webhook)}
      onClose={onClose}
    />
  );
};

const TestDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [event, setEvent] = useState(webhook.events[0] ?? 'sms.delivered');
  return (
    <ActionDialog
      title={t.test}
      act={() => api.webhooks.test(webhook.id, { event })}
      onDone={({ id }) => navigate({ to: `/webhooks/${webhook.id}/deliveries/${id}` })}
      onClose={onClose}
    >
      <ChoiceField
        name="event"
        label={t.testEvent}
        value={event}
        onChange={setEvent}
        choices={webhook.events.map((value) => ({ value, label: value }))}
      />
    </ActionDialog>
  );
};

const DAY_MS = 24 * 3600_000;
const localAt = (ms: number): string => toLocal(new Date(ms).toISOString());

const ReplayDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const [from, setFrom] = useState(() => localAt(Date.now() - DAY_MS));
  // The end of this minute: what came in it is meant, too.
  const [to, setTo] = useState(() => localAt(Date.now() + 60_000));
  const replaying = useAction(
    () => api.webhooks.replay(webhook.id, { from: fromLocal(from) ?? '', to: fromLocal(to) ?? '' }),
    { invalidates: changed(webhook) },
  );
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.replayAll}
      hint={t.replayHint}
      action={t.replayAll}
      onConfirm={() => replaying.mutate()}
      busy={replaying.isPending}
      error={replaying.error}
    >
      <TextField name="from" type="datetime-local" required label={t.from} value={from} onChange={setFrom} />
      <TextField name="to" type="datetime-local" required label={t.until} value={to} onChange={setTo} />
      {replaying.data ? (
        <Alert variant="outline" role="status">
          {t.replayed(format.number(replaying.data.replayed))}
        </Alert>
      ) : null}
    </Confirm>
  );
};

const DIALOGS = { rotate: RotateDialog, revoke: RevokeDialog, test: TestDialog, replayAll: ReplayDialog } as const;
type Dialog = keyof typeof DIALOGS;

/** The actions on a subscription that the person may do; none once it is revoked. */
export const WebhookActions = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<Dialog>();
  if (webhook.status === 'revoked') return null;
  const isPaused = webhook.status === 'paused';
  const offered: readonly Dialog[] = [
    ...(may('webhooks:replay') ? (['replayAll'] as const) : []),
    ...(may('webhooks:write') ? (['test', 'rotate', 'revoke'] as const) : []),
  ];
  const Opened = dialog && DIALOGS[dialog];
  return (
    <>
      {may('webhooks:write') ? (
        <ActionButton
          label={isPaused ? t.resume : t.pause}
          act={() => api.webhooks.change(webhook.id, { status: isPaused ? 'active' : 'paused' })}
          invalidates={changed(webhook)}
        />
      ) : null}
      {offered.map((each) => (
        <Button key={each} variant="default" onClick={() => setDialog(each)}>
          {t[each]}
        </Button>
      ))}
      {Opened ? <Opened webhook={webhook} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
};
