import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Webhook } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Makes queries of a subscription anew. */
const useRefresh = ({ id }: Webhook) => {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['webhook', id] });
};

const RotateDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh(webhook);
  const rotating = useMutation({ mutationFn: () => api.webhooks.rotateSecret(webhook.id, {}), onSuccess: refresh });
  if (rotating.data)
    return (
      <SecretDialog
        title={t.rotate}
        label={t.secret}
        hint={t.secretHint}
        secret={rotating.data.secret}
        done={t.done}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.rotate}
      hint={t.rotateHint}
      action={t.rotate}
      onConfirm={() => rotating.mutate()}
      busy={rotating.isPending}
      error={rotating.error}
    />
  );
};

const RevokeDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh(webhook);
  const revoking = useMutation({
    mutationFn: () => api.webhooks.delete(webhook.id),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
  });
  return (
    <Confirm
      opened
      dangerous
      onClose={onClose}
      title={t.revoke}
      hint={t.revokeHint}
      action={t.revoke}
      onConfirm={() => revoking.mutate()}
      busy={revoking.isPending}
      error={revoking.error}
    />
  );
};

const TestDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [event, setEvent] = useState(webhook.events[0]);
  const testing = useMutation({
    mutationFn: () => api.webhooks.test(webhook.id, { event: event ?? 'sms.delivered' }),
    onSuccess: ({ id }) => navigate({ to: `/webhooks/${webhook.id}/deliveries/${id}` }),
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.test}
      action={t.test}
      onConfirm={() => testing.mutate()}
      busy={testing.isPending}
      error={testing.error}
    >
      <NativeSelect
        label={t.testEvent}
        value={event}
        onChange={({ currentTarget }) => setEvent(currentTarget.value as typeof event)}
        data={webhook.events}
      />
    </Confirm>
  );
};

const DAY_MS = 24 * 3600_000;
const local = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const ReplayDialog = ({ webhook, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const refresh = useRefresh(webhook);
  const [from, setFrom] = useState(() => local(Date.now() - DAY_MS));
  // The end of this minute: what came in it is meant, too.
  const [to, setTo] = useState(() => local(Date.now() + 60_000));
  const replaying = useMutation({
    mutationFn: () =>
      api.webhooks.replay(webhook.id, { from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    onSuccess: refresh,
  });
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
      <TextInput
        type="datetime-local"
        required
        label={t.from}
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        required
        label={t.until}
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
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

const PauseButton = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useTexts(texts);
  const refresh = useRefresh(webhook);
  const isPaused = webhook.status === 'paused';
  const pausing = useMutation({
    mutationFn: () => api.webhooks.change(webhook.id, { status: isPaused ? 'active' : 'paused' }),
    onSuccess: refresh,
  });
  return (
    <>
      <Button variant="default" onClick={() => pausing.mutate()} loading={pausing.isPending}>
        {isPaused ? t.resume : t.pause}
      </Button>
      <ProblemView error={pausing.error} />
    </>
  );
};

/** What can be done with a subscription, by who may; nothing more once it is revoked. */
export const WebhookActions = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<Dialog>();
  if (webhook.status === 'revoked') return null;
  const offered: readonly Dialog[] = [
    ...(may('webhooks:replay') ? (['replayAll'] as const) : []),
    ...(may('webhooks:write') ? (['test', 'rotate', 'revoke'] as const) : []),
  ];
  const Opened = dialog && DIALOGS[dialog];
  return (
    <>
      {may('webhooks:write') ? <PauseButton webhook={webhook} /> : null}
      {offered.map((each) => (
        <Button key={each} variant="default" onClick={() => setDialog(each)}>
          {t[each]}
        </Button>
      ))}
      {Opened ? <Opened webhook={webhook} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
};
