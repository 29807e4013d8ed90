import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Cable } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { CreateSmppAccount, IssuedSmppAccount, SmppAccount } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ChoiceField, choicesOf, TextAreaField, TextField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const KEY = ['smpp'];

interface Draft {
  readonly name: string;
  readonly route: SmppAccount['route'];
  readonly senderId: string;
  readonly allowedIps: string;
  readonly maxBinds: string;
  readonly window: string;
  readonly dlrFormat: SmppAccount['dlrFormat'];
}

const draftOf = (account: Partial<SmppAccount>): Draft => ({
  name: account.name ?? '',
  route: account.route ?? 'premium',
  senderId: account.senderId ?? '',
  allowedIps: account.allowedIps?.join('\n') ?? '',
  maxBinds: account.maxBinds === undefined ? '' : String(account.maxBinds),
  window: account.window === undefined ? '' : String(account.window),
  dlrFormat: account.dlrFormat ?? 'minutes',
});

const addressesOf = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .map((address) => address.trim())
    .filter((address) => address !== '');

const newAccount = ({ name, route, senderId, allowedIps, maxBinds, window, dlrFormat }: Draft): CreateSmppAccount => ({
  name: name.trim(),
  route,
  dlrFormat,
  ...(senderId.trim() === '' ? {} : { senderId: senderId.trim() }),
  ...(addressesOf(allowedIps).length > 0 ? { allowedIps: addressesOf(allowedIps) } : {}),
  ...(maxBinds === '' ? {} : { maxBinds: Number(maxBinds) }),
  ...(window === '' ? {} : { window: Number(window) }),
});

/** Only the changed fields: setting addresses needs more scopes than leaving them unchanged. */
const changesOf = (before: Draft, draft: Draft) => {
  const changed = (name: keyof Draft) => draft[name] !== before[name];
  const addresses = addressesOf(draft.allowedIps);
  return {
    ...(changed('name') ? { name: draft.name.trim() } : {}),
    ...(changed('route') ? { route: draft.route } : {}),
    ...(changed('senderId') ? { senderId: draft.senderId.trim() === '' ? null : draft.senderId.trim() } : {}),
    ...(changed('allowedIps') ? { allowedIps: addresses.length === 0 ? null : addresses } : {}),
    ...(changed('maxBinds') ? { maxBinds: Number(draft.maxBinds) } : {}),
    ...(changed('window') ? { window: Number(draft.window) } : {}),
    ...(changed('dlrFormat') ? { dlrFormat: draft.dlrFormat } : {}),
  };
};

const Fields = ({ draft, onChange }: { readonly draft: Draft; readonly onChange: (draft: Draft) => void }) => {
  const t = useTexts(texts);
  const field = <N extends keyof Draft>(name: N) => ({
    name,
    value: draft[name],
    onChange: (value: Draft[N]) => onChange({ ...draft, [name]: value }),
  });
  return (
    <>
      <TextField {...field('name')} label={t.name} required />
      <ChoiceField<Draft['route']> {...field('route')} label={t.route} choices={choicesOf(t.routes)} />
      <TextField {...field('senderId')} label={t.senderId} description={t.senderIdHint} />
      <TextAreaField {...field('allowedIps')} label={t.allowedIps} description={t.allowedIpsHint} />
      <Group grow align="flex-start">
        <TextField {...field('maxBinds')} label={t.maxBinds} type="number" placeholder="4" />
        <TextField {...field('window')} label={t.window} type="number" placeholder="32" />
      </Group>
      <ChoiceField<Draft['dlrFormat']> {...field('dlrFormat')} label={t.dlrFormat} choices={choicesOf(t.dlrFormats)} />
    </>
  );
};

const Issued = ({ account, onClose }: { readonly account: IssuedSmppAccount; readonly onClose: () => void }) => {
  const t = useTexts(texts);
  return (
    <SecretDialog
      title={t.issued(account.name)}
      label={t.password}
      hint={t.issuedHint(account.systemId)}
      secret={account.password}
      done={t.kept}
      onClose={onClose}
    />
  );
};

const CreateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const [draft, setDraft] = useState(() => draftOf({}));
  return (
    <ActionDialog
      title={t.newAccount}
      act={() => api.smpp.create(newAccount(draft))}
      invalidates={[KEY]}
      onClose={onClose}
      after={(account) => <Issued account={account} onClose={onClose} />}
    >
      <Fields draft={draft} onChange={setDraft} />
    </ActionDialog>
  );
};

interface AccountProps {
  readonly account: SmppAccount;
  readonly onClose: () => void;
}

const ChangeDialog = ({ account, onClose }: AccountProps) => {
  const t = useTexts(texts);
  const [before] = useState(() => draftOf(account));
  const [draft, setDraft] = useState(before);
  return (
    <ActionDialog
      title={`${t.accountActs.change}: ${account.name}`}
      action={t.save}
      act={() => api.smpp.change(account.id, changesOf(before, draft))}
      invalidates={[KEY]}
      onClose={onClose}
    >
      <Fields draft={draft} onChange={setDraft} />
    </ActionDialog>
  );
};

const RotateDialog = ({ account, onClose }: AccountProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={`${t.accountActs.rotate}: ${account.name}`}
      hint={t.rotateHint}
      action={t.accountActs.rotate}
      dangerous
      act={() => api.smpp.rotatePassword(account.id)}
      invalidates={[KEY]}
      onClose={onClose}
      after={(issued) => <Issued account={issued} onClose={onClose} />}
    />
  );
};

const DeleteDialog = ({ account, onClose }: AccountProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      title={`${t.accountActs.remove}: ${account.name}`}
      hint={t.removeAccountHint}
      action={t.accountActs.remove}
      dangerous
      act={() => api.smpp.delete(account.id)}
      invalidates={[KEY]}
      onClose={onClose}
    />
  );
};

const DIALOGS = { change: ChangeDialog, rotate: RotateDialog, remove: DeleteDialog } as const;

const Actions = ({ account }: Pick<AccountProps, 'account'>) => {
  const t = useTexts(texts);
  const [act, setAct] = useState<keyof typeof DIALOGS>();
  const Dialog = act ? DIALOGS[act] : undefined;
  return (
    <>
      <ActionMenu label={t.actionsOf(account.name)} items={choicesOf(t.accountActs)} onChoose={setAct} />
      {Dialog ? <Dialog account={account} onClose={() => setAct(undefined)} /> : null}
    </>
  );
};

const useColumns = (): readonly Column<SmppAccount>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const mayWrite = useMay()('keys:write');
  const actions: readonly Column<SmppAccount>[] = mayWrite
    ? [{ key: 'actions', title: t.actions, alignEnd: true, cell: (account) => <Actions account={account} /> }]
    : [];
  return [
    { key: 'name', title: t.name, cell: ({ name }) => <span className="breakable">{name}</span> },
    { key: 'systemId', title: t.systemId, cell: ({ systemId }) => <CopyText text={systemId} label={t.systemId} /> },
    { key: 'route', title: t.route, cell: ({ route }) => t.routes[route] },
    { key: 'from', title: t.allowedIps, cell: ({ allowedIps }) => allowedIps?.join(', ') ?? t.anywhere },
    { key: 'binds', title: t.maxBinds, alignEnd: true, cell: ({ maxBinds }) => format.number(maxBinds) },
    { key: 'password', title: t.passwordChangedAt, cell: ({ passwordChangedAt }) => <Time at={passwordChangedAt} /> },
    ...actions,
  ];
};

/** The accounts that bind by SMPP. */
export const SmppAccounts = () => {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const list = useQuery({ queryKey: KEY, queryFn: async ({ signal }) => (await api.smpp.list({ signal })).items });
  return (
    <Stack>
      {may('keys:write') ? (
        <Group>
          <Button onClick={() => setCreating(true)}>{t.newAccount}</Button>
        </Group>
      ) : null}
      <Text size="sm" c="dimmed">
        {t.smppHint}
      </Text>
      <QueryView query={list}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={Cable} title={t.noAccounts}>
              {t.noAccountsHint}
            </EmptyState>
          ) : (
            <DataTable caption={t.tabs.smpp} columns={columns} rows={items} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </Stack>
  );
};
