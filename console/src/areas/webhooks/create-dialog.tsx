import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { CreateWebhook } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Subscribes an address, and shows its secret, which is shown once. */
export const CreateWebhookDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('');
  const [description, setDescription] = useState('');
  const create = () =>
    api.webhooks.create({
      url,
      // The service names what is no event.
      events: linesOf(events) as CreateWebhook['events'],
      ...(description === '' ? {} : { description }),
    });
  return (
    <ActionDialog
      title={t.create}
      act={create}
      invalidates={[['webhooks']]}
      onClose={onClose}
      after={({ secret }) => (
        <SecretDialog
          title={t.created}
          label={t.secret}
          hint={t.secretHint}
          secret={secret}
          done={t.done}
          onClose={onClose}
        />
      )}
    >
      <TextField name="url" type="url" required label={t.url} placeholder="https://" value={url} onChange={setUrl} />
      <TextAreaField
        name="events"
        required
        label={t.events}
        description={t.eventsHint}
        value={events}
        onChange={setEvents}
      />
      <TextField name="description" label={t.descriptionLabel} value={description} onChange={setDescription} />
    </ActionDialog>
  );
};
