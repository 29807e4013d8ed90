import { Button } from '@mantine/core';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay, useSession } from '../../app/session.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { useTexts } from '../../app/texts.ts';
import type { Account, AccountPage } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { TextField } from '../../ui/fields.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StateOf, Time, type Tone } from '../../ui/values.tsx';
import { PersonActions } from './person-actions.tsx';
import { type Role, RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

const TONES: Readonly<Record<Account['status'], Tone>> = { active: 'good', suspended: 'bad', invited: 'pending' };

const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  return (
    <ActionDialog
      title={t.invite}
      hint={t.inviteHint}
      act={() => api.accounts.create({ name, email, role })}
      invalidates={[['people']]}
      onClose={onClose}
    >
      <TextField name="name" required label={t.name} value={name} onChange={setName} />
      <TextField name="email" required type="email" label={t.email} value={email} onChange={setEmail} />
      <RoleField value={role} onChange={setRole} />
    </ActionDialog>
  );
};

const useColumns = (): readonly Column<Account>[] => {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const may = useMay();
  const { session } = useSession();
  const actions: readonly Column<Account>[] = may('accounts:write')
    ? [{ key: 'actions', title: t.actions, alignEnd: true, cell: (person) => <PersonActions person={person} /> }]
    : [];
  return [
    {
      key: 'name',
      title: t.name,
      cell: ({ id, name }) => `${name}${id === session?.person.accountId ? ` (${t.you})` : ''}`,
    },
    { key: 'email', title: t.email, cell: ({ email }) => <span className="breakable">{email}</span> },
    { key: 'role', title: t.role, cell: ({ role }) => shell.roles[role] },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={TONES} words={t.statuses} />,
    },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...actions,
  ];
};

/** The people of the organization. */
export default function PeoplePage() {
  const t = useTexts(texts);
  const may = useMay();
  const [inviting, setInviting] = useState(false);
  const list = usePagedList<AccountPage>({
    queryKey: ['people'],
    read: (query, signal) => api.accounts.list(query, { signal }),
  });
  const invite = may('accounts:write') ? <Button onClick={() => setInviting(true)}>{t.invite}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={invite}>
      <PagedList query={list} caption={t.title} columns={useColumns()} keyOf={({ id }) => id} empty={null} />
      {list.data?.total === 1 ? (
        <EmptyState icon={UsersRound} title={t.emptyTitle}>
          {t.empty}
        </EmptyState>
      ) : null}
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </Page>
  );
}
