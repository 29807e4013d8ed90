import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay, useSession } from '../../app/session.ts';
import { shellTexts } from '../../app/shell-texts.ts';
import { useTexts } from '../../app/texts.ts';
import type { Account, AccountPage } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging, useSkip } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { Status, Time, type Tone } from '../../ui/values.tsx';
import { PersonActions } from './person-actions.tsx';
import { type Role, RoleField } from './role-field.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;
const TONES: Readonly<Record<Account['status'], Tone>> = { active: 'good', suspended: 'bad', invited: 'pending' };

const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const inviting = useMutation({
    mutationFn: () => api.accounts.create({ name, email, role }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['people'] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.invite}
      hint={t.inviteHint}
      action={t.invite}
      onConfirm={() => inviting.mutate()}
      busy={inviting.isPending}
      error={inviting.error}
    >
      <TextInput required label={t.name} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <TextInput
        required
        type="email"
        label={t.email}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <RoleField value={role} onChange={setRole} />
    </Confirm>
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
      cell: ({ status }) => <Status tone={TONES[status]}>{t.statuses[status]}</Status>,
    },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...actions,
  ];
};

/** The people of the organization. */
export default function PeoplePage() {
  const t = useTexts(texts);
  const may = useMay();
  const skip = useSkip(LIMIT);
  const columns = useColumns();
  const [inviting, setInviting] = useState(false);
  const list = useQuery<AccountPage>({
    queryKey: ['people', skip],
    queryFn: async ({ signal }) => api.accounts.list({ skip, limit: LIMIT }, { signal }),
  });
  const invite = may('accounts:write') ? <Button onClick={() => setInviting(true)}>{t.invite}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={invite}>
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {list.data ? (
        <Stack>
          <DataTable caption={t.title} columns={columns} rows={list.data.items} keyOf={({ id }) => id} />
          {list.data.total === 1 ? (
            <EmptyState icon={UsersRound} title={t.emptyTitle}>
              {t.empty}
            </EmptyState>
          ) : null}
          <Paging limit={LIMIT} total={list.data.total} />
        </Stack>
      ) : null}
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </Page>
  );
}
