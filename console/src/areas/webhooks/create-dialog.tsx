import { Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { CreateWebhook } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
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
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('');
  const [description, setDescription] = useState('');
  const creating = useMutation({
    mutationFn: () =>
      api.webhooks.create({
        url,
        // The service names what is no event.
        events: linesOf(events) as CreateWebhook['events'],
        ...(description === '' ? {} : { description }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  if (creating.data)
    return (
      <SecretDialog
        title={t.created}
        label={t.secret}
        hint={t.secretHint}
        secret={creating.data.secret}
        done={t.done}
        onClose={onClose}
      />
    );
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.create}
      action={t.create}
      onConfirm={() => creating.mutate()}
      busy={creating.isPending}
      error={creating.error}
    >
      <TextInput
        type="url"
        required
        label={t.url}
        placeholder="https://"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Textarea
        required
        autosize
        minRows={3}
        label={t.events}
        description={t.eventsHint}
        value={events}
        onChange={(event) => setEvents(event.currentTarget.value)}
      />
      <TextInput
        label={t.descriptionLabel}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </Confirm>
  );
};
