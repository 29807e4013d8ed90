import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ChangePushApp, PushApp } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ChoiceField, choicesOf, TextAreaField, TextField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

type Platform = PushApp['platforms'][number];
const PLATFORMS = ['android', 'ios', 'web'] as const satisfies readonly Platform[];
const KEY = ['push-apps'];

/** Credentials of the platforms, as one types them. */
const EMPTY = {
  fcm: '',
  keyId: '',
  teamId: '',
  privateKey: '',
  bundleId: '',
  publicKey: '',
  vapidKey: '',
  subject: '',
};
type Credentials = Readonly<typeof EMPTY>;

/** The body's part of a platform. What is no key file is the service's to refuse. */
const credentialsOf = (platform: Platform, typed: Credentials): ChangePushApp => {
  if (platform === 'android') {
    const { project_id, private_key_id, private_key, client_email } = parsed(typed.fcm);
    return { fcm: { project_id, private_key, client_email, ...(private_key_id ? { private_key_id } : {}) } };
  }
  if (platform === 'ios') {
    const { keyId, teamId, privateKey, bundleId } = typed;
    return { apns: { keyId, teamId, privateKey, bundleId } };
  }
  return { vapid: { publicKey: typed.publicKey, privateKey: typed.vapidKey, subject: typed.subject } };
};

type KeyFile = NonNullable<NonNullable<ChangePushApp['fcm']>>;
const parsed = (text: string): KeyFile => {
  try {
    return JSON.parse(text) as KeyFile;
  } catch {
    return {} as KeyFile;
  }
};

interface FieldsProps {
  readonly platform: Platform;
  readonly typed: Credentials;
  readonly onChange: (typed: Credentials) => void;
}

const CredentialFields = ({ platform, typed, onChange }: FieldsProps) => {
  const t = useTexts(texts);
  const field = (name: keyof Credentials) => ({
    label: t.credentials[name],
    value: typed[name],
    required: true,
    onChange: (value: string) => onChange({ ...typed, [name]: value }),
  });
  if (platform === 'android') return <TextAreaField name="fcm" {...field('fcm')} />;
  if (platform === 'ios')
    return (
      <>
        <TextField name="apns.keyId" {...field('keyId')} />
        <TextField name="apns.teamId" {...field('teamId')} />
        <TextField name="apns.bundleId" {...field('bundleId')} />
        <TextAreaField name="apns.privateKey" {...field('privateKey')} />
      </>
    );
  return (
    <>
      <TextField name="vapid.publicKey" {...field('publicKey')} />
      <TextField name="vapid.privateKey" type="password" {...field('vapidKey')} />
      <TextField name="vapid.subject" placeholder="mailto:" {...field('subject')} />
    </>
  );
};

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const [name, setName] = useState('');
  return (
    <ActionDialog
      title={t.newApp}
      hint={t.newAppHint}
      act={() => api.push.createApp({ name: name.trim() })}
      invalidates={[KEY]}
      onClose={onClose}
    >
      <TextField name="name" label={t.name} required value={name} onChange={setName} />
    </ActionDialog>
  );
};

interface AppProps {
  readonly app: PushApp;
  readonly onClose: () => void;
}

const RenameDialog = ({ app, onClose }: AppProps) => {
  const t = useTexts(texts);
  const [name, setName] = useState(app.name);
  return (
    <ActionDialog
      title={t.appActs.rename}
      action={t.save}
      act={() => api.push.changeApp(app.id, { name: name.trim() })}
      invalidates={[KEY]}
      onClose={onClose}
    >
      <TextField name="name" label={t.name} required value={name} onChange={setName} />
    </ActionDialog>
  );
};

const CredentialsDialog = ({ app, onClose }: AppProps) => {
  const t = useTexts(texts);
  const [platform, setPlatform] = useState<Platform>('android');
  const [typed, setTyped] = useState<Credentials>(EMPTY);
  return (
    <ActionDialog
      title={t.appActs.credentials}
      hint={t.credentialsHint}
      action={t.save}
      act={() => api.push.changeApp(app.id, credentialsOf(platform, typed))}
      invalidates={[KEY]}
      onClose={onClose}
    >
      <ChoiceField<Platform>
        name="platform"
        label={t.platform}
        value={platform}
        onChange={setPlatform}
        choices={PLATFORMS.map((value) => ({ value, label: t.platforms[value] }))}
      />
      <CredentialFields platform={platform} typed={typed} onChange={setTyped} />
    </ActionDialog>
  );
};

const REMOVED = { android: { fcm: null }, ios: { apns: null }, web: { vapid: null } } as const;

const RemoveCredentialsDialog = ({ app, onClose }: AppProps) => {
  const t = useTexts(texts);
  const [platform, setPlatform] = useState<Platform>(app.platforms[0] ?? 'android');
  const words = Object.fromEntries(app.platforms.map((each) => [each, t.platforms[each]])) as Record<Platform, string>;
  return (
    <ActionDialog
      title={t.appActs.removeCredentials}
      hint={t.removeCredentialsHint}
      dangerous
      act={() => api.push.changeApp(app.id, REMOVED[platform])}
      invalidates={[KEY]}
      onClose={onClose}
    >
      <ChoiceField<Platform>
        name="platform"
        label={t.platform}
        value={platform}
        onChange={setPlatform}
        choices={choicesOf(words)}
      />
    </ActionDialog>
  );
};

const DeleteDialog = ({ app, onClose }: AppProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={`${t.appActs.remove}: ${app.name}`}
      hint={t.removeAppHint}
      action={t.appActs.remove}
      dangerous
      act={() => api.push.deleteApp(app.id)}
      invalidates={[KEY]}
      onClose={onClose}
    />
  );
};

const DIALOGS = {
  rename: RenameDialog,
  credentials: CredentialsDialog,
  removeCredentials: RemoveCredentialsDialog,
  remove: DeleteDialog,
} as const;

const Actions = ({ app }: Pick<AppProps, 'app'>) => {
  const t = useTexts(texts);
  const [act, setAct] = useState<keyof typeof DIALOGS>();
  const Dialog = act ? DIALOGS[act] : undefined;
  const offered = choicesOf(t.appActs).filter(({ value }) => value !== 'removeCredentials' || app.platforms.length > 0);
  return (
    <>
      <ActionMenu label={t.actionsOf(app.name)} items={offered} onChoose={setAct} />
      {Dialog ? <Dialog app={app} onClose={() => setAct(undefined)} /> : null}
    </>
  );
};

/** The apps that push messages go to, and the platforms that each has credentials for. */
export const PushApps = () => {
  const t = useTexts(texts);
  const mayWrite = useMay()('push:send');
  const [creating, setCreating] = useState(false);
  const list = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await api.push.listApps({ signal })).items,
  });
  const actions: readonly Column<PushApp>[] = mayWrite
    ? [{ key: 'actions', title: t.actions, alignEnd: true, cell: (app) => <Actions app={app} /> }]
    : [];
  const columns: readonly Column<PushApp>[] = [
    { key: 'name', title: t.name, cell: ({ name }) => <span className="breakable">{name}</span> },
    {
      key: 'platforms',
      title: t.platform,
      cell: ({ platforms }) => platforms.map((each) => t.platforms[each]).join(', ') || '—',
    },
    {
      key: 'vapid',
      title: t.vapid,
      cell: ({ vapidPublicKey }) => (vapidPublicKey ? <CopyText text={vapidPublicKey} label={t.vapid} /> : '—'),
    },
    { key: 'id', title: 'ID', cell: ({ id }) => <CopyText text={id} /> },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...actions,
  ];
  return (
    <Stack>
      {mayWrite ? (
        <Group>
          <Button onClick={() => setCreating(true)}>{t.newApp}</Button>
        </Group>
      ) : null}
      <Text size="sm" c="dimmed">
        {t.appsHint}
      </Text>
      <QueryView query={list}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={BellRing} title={t.noApps}>
              {t.noAppsHint}
            </EmptyState>
          ) : (
            <DataTable caption={t.tabs.push} columns={columns} rows={items} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Stack>
  );
};
