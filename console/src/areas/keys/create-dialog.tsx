import { MultiSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useSession } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CreateApiKey } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

type KeyScope = CreateApiKey['scopes'][number];
/** A person's alone: no key has it. */
const PERSONAL = 'contacts:pii';

/** What the fields ask for; what is empty stays out of the request. */
const keyOf = (name: string, scopes: readonly KeyScope[], expiresAt: string, addresses: string): CreateApiKey => {
  const allowedIps = addresses.split(/[\s,]+/).filter((address) => address !== '');
  return {
    name,
    scopes: [...scopes],
    ...(expiresAt === '' ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    ...(allowedIps.length === 0 ? {} : { allowedIps }),
  };
};

/** Creates a key, and shows its secret, which is shown once. */
export const CreateKeyDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const { session } = useSession();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>([]);
  const [expiresAt, setExpiresAt] = useState('');
  const [addresses, setAddresses] = useState('');
  const creating = useMutation({
    mutationFn: () => api.keys.create(keyOf(name, scopes, expiresAt, addresses)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (creating.data)
    return (
      <SecretDialog
        title={t.created}
        label={t.secret}
        hint={t.secretHint}
        secret={creating.data.key}
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
      <TextInput required label={t.name} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <MultiSelect
        searchable
        required
        label={t.scopes}
        description={t.scopesHint}
        value={[...scopes]}
        onChange={(chosen) => setScopes(chosen as KeyScope[])}
        data={(session?.scopes ?? []).filter((scope) => scope !== PERSONAL)}
      />
      <TextInput
        type="datetime-local"
        label={t.expiresAt}
        description={t.optional}
        value={expiresAt}
        onChange={({ currentTarget }) => setExpiresAt(currentTarget.value)}
      />
      <Textarea
        autosize
        label={t.allowedIps}
        description={t.allowedIpsHint}
        value={addresses}
        onChange={({ currentTarget }) => setAddresses(currentTarget.value)}
      />
    </Confirm>
  );
};
