import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Message, ResendMessage } from '../../sdk.ts';
import { useIdempotencyKey } from '../../ui/action.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
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
  readonly onClose: () => void;
}

/** Corrects a message and sends it again. */
const ResendDialog = ({ message, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [to, setTo] = useState('');
  const [text, setText] = useState(textOf(message) ?? '');
  const [variables, setVariables] = useState(message.templateVars?.join('\n') ?? '');
  const correction = correctionOf(message, { to, text, variables });
  const idempotencyKey = useIdempotencyKey(correction);
  return (
    <ActionDialog
      title={t.resend}
      hint={t.resendHint}
      action={t.resendNow}
      act={() => api.messages.resend(message.id, correction, { idempotencyKey })}
      invalidates={[['message', message.id]]}
      onDone={({ id }) => navigate({ to: `/messages/${id}` })}
      onClose={onClose}
    >
      <TextField name="to" label={t.resendTo} description={t.resendToHint} value={to} onChange={setTo} />
      {message.type === 'text' && message.channel !== 'email' ? (
        <TextAreaField name="payload" label={t.resendText} value={text} onChange={setText} />
      ) : null}
      {message.templateVars ? (
        <TextAreaField name="templateVars" minRows={2} label={t.resendVars} value={variables} onChange={setVariables} />
      ) : null}
    </ActionDialog>
  );
};

/** Cancels a queued message, or sends it now. */
const QueuedDialog = ({ message, action, onClose }: DialogProps & { readonly action: 'cancel' | 'force' }) => {
  const t = useTexts(texts);
  const words =
    action === 'cancel'
      ? { title: t.cancel, hint: t.cancelHint, action: t.cancelNow }
      : { title: t.force, hint: t.forceHint };
  return (
    <ActionDialog
      {...words}
      dangerous={action === 'cancel'}
      act={() => api.messages[action](message.id)}
      invalidates={[['message', message.id]]}
      onClose={onClose}
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
      {action === 'resend' && canResend ? <ResendDialog key={message.id} {...dialog} /> : null}
      {action !== undefined && action !== 'resend' && isQueued ? <QueuedDialog {...dialog} action={action} /> : null}
    </>
  );
};
