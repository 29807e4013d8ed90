import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fromLocal } from '../../app/local-time.ts';
import { useSession } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CreateApiKey } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { TextAreaField, TextField } from '../../ui/fields.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { texts } from './texts.ts';

type KeyScope = CreateApiKey['scopes'][number];
/** A person's alone: no key has it. */
const PERSONAL = 'contacts:pii';

/** The values of the fields; empty ones are omitted from the request. */
const keyOf = (name: string, scopes: readonly KeyScope[], expiresAt: string, addresses: string): CreateApiKey => {
  const allowedIps = addresses.split(/[\s,]+/).filter((address) => address !== '');
  const until = fromLocal(expiresAt);
  return {
    name,
    scopes: [...scopes],
    ...(until === undefined ? {} : { expiresAt: until }),
    ...(allowedIps.length === 0 ? {} : { allowedIps }),
  };
};

/** Creates a key, and shows its secret, which is shown once. */
export const CreateKeyDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const { session } = useSession();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>([]);
  const [expiresAt, setExpiresAt] = useState('');
  const [addresses, setAddresses] = useState('');
  return (
    <ActionDialog
      title={t.create}
      act={() => api.keys.create(keyOf(name, scopes, expiresAt, addresses))}
      invalidates={[['keys']]}
      onClose={onClose}
      after={({ key }) => (
        <SecretDialog
          title={t.created}
          label={t.secret}
          hint={t.secretHint}
          secret={key}
          done={t.done}
          onClose={onClose}
        />
      )}
    >
      <TextField name="name" required label={t.name} value={name} onChange={setName} />
      <MultiSelect
        searchable
        required
        label={t.scopes}
        description={t.scopesHint}
        value={[...scopes]}
        onChange={(chosen) => setScopes(chosen as KeyScope[])}
        data={(session?.scopes ?? []).filter((scope) => scope !== PERSONAL)}
      />
      <TextField
        name="expiresAt"
        type="datetime-local"
        label={t.expiresAt}
        description={t.optional}
        value={expiresAt}
        onChange={setExpiresAt}
      />
      <TextAreaField
        name="allowedIps"
        minRows={1}
        label={t.allowedIps}
        description={t.allowedIpsHint}
        value={addresses}
        onChange={setAddresses}
      />
    </ActionDialog>
  );
};
