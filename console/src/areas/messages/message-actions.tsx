import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Message, ResendMessage } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { textOf } from '../../ui/message-text.ts';
import { ComposeLink } from './compose-link.tsx';
import { texts } from './texts.ts';

type Action = 'resend' | 'cancel' | 'force';

/** The corrections in the fields: unchanged fields are omitted from the request. */
const correctionOf = (message: Message, fields: { to: string; text: string; variables: string }): ResendMessage => {
  const { to, text, variables } = fields;
  const changesText = text.trim() !== '' && text !== textOf(message);
  const lines = variables.split('\n');
  const changesVars = message.templateVars !== undefined && variables !== message.templateVars.join('\n');
  return {
    ...(to.trim() === '' ? {} : { to: to.trim() }),
    ...(changesText ? { payload: { text } } : {}),
    ...(changesVars ? { templateVars: lines } : {}),
  };
};

interface DialogProps {
  readonly message: Message;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Corrects a message and sends it again. The key is the dialog's: sent twice, it acts once. */
const ResendDialog = ({ message, opened, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [to, setTo] = useState('');
  const [text, setText] = useState(textOf(message) ?? '');
  const [variables, setVariables] = useState(message.templateVars?.join('\n') ?? '');
  const resending = useMutation({
    mutationFn: () =>
      api.messages.resend(message.id, correctionOf(message, { to, text, variables }), { idempotencyKey }),
    onSuccess: async ({ id }) => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['message', message.id] });
      await navigate({ to: `/messages/${id}` });
    },
  });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t.resend}
      hint={t.resendHint}
      action={t.resendNow}
      onConfirm={() => resending.mutate()}
      busy={resending.isPending}
      error={resending.error}
    >
      <TextInput
        label={t.resendTo}
        description={t.resendToHint}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      {message.type === 'text' && message.channel !== 'email' ? (
        <Textarea
          label={t.resendText}
          autosize
          minRows={3}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      ) : null}
      {message.templateVars ? (
        <Textarea
          label={t.resendVars}
          autosize
          minRows={2}
          value={variables}
          onChange={(event) => setVariables(event.currentTarget.value)}
        />
      ) : null}
    </Confirm>
  );
};

/** Cancels a queued message, or sends it now. */
const QueuedDialog = ({ message, action, opened, onClose }: DialogProps & { readonly action: 'cancel' | 'force' }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const acting = useMutation({
    mutationFn: () => api.messages[action](message.id),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['message', message.id] });
    },
  });
  const words =
    action === 'cancel'
      ? { title: t.cancel, hint: t.cancelHint, action: t.cancelNow }
      : { title: t.force, hint: t.forceHint, action: t.force };
  return (
    <Confirm
      {...words}
      opened={opened}
      onClose={onClose}
      dangerous={action === 'cancel'}
      onConfirm={() => acting.mutate()}
      busy={acting.isPending}
      error={acting.error}
    />
  );
};

/** The actions on a message in its status that the person may do. */
export const MessageActions = ({ message }: { readonly message: Message }) => {
  const t = useTexts(texts);
  const [action, setAction] = useState<Action>();
  const may = useMay();
  const isQueued = message.direction === 'outbound' && message.status === 'queued';
  const canResend =
    may('messages:manage') && message.direction === 'outbound' && (isQueued || message.status === 'failed');
  const dialog = { message, onClose: () => setAction(undefined) };
  return (
    <>
      {canResend ? <Button onClick={() => setAction('resend')}>{t.resend}</Button> : null}
      {isQueued && may('messages:send') ? (
        <Button variant="default" onClick={() => setAction('force')}>
          {t.force}
        </Button>
      ) : null}
      {isQueued && may('messages:manage') ? (
        <Button variant="default" onClick={() => setAction('cancel')}>
          {t.cancel}
        </Button>
      ) : null}
      <ComposeLink message={message} />
      {canResend ? <ResendDialog key={message.id} {...dialog} opened={action === 'resend'} /> : null}
      {isQueued ? <QueuedDialog {...dialog} action="cancel" opened={action === 'cancel'} /> : null}
      {isQueued ? <QueuedDialog {...dialog} action="force" opened={action === 'force'} /> : null}
    </>
  );
};
