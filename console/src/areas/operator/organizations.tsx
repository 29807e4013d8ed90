import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import type { SyntheticEvent } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { OrganizationSummary } from '../../sdk.ts';
import type { Column } from '../../ui/data-table.tsx';
import { CursorList, useCursorList } from '../../ui/lists.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;

const useColumns = (): readonly Column<OrganizationSummary>[] => {
  const t = useTexts(texts);
  return [
    {
      key: 'name',
      title: t.organization.name,
      cell: ({ id, name }) => <AppLink to={`/operator/organizations/${id}`}>{name}</AppLink>,
    },
    { key: 'id', title: t.organization.id, cell: ({ id }) => <span className="breakable">{id}</span> },
    { key: 'createdAt', title: t.organization.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
};

/** Opens an organization by its id, as it stands in a dead letter or in a customer's question. */
const OpenById = () => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const open = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget).get('id') ?? '').trim();
    if (id !== '') void navigate({ to: `/operator/organizations/${encodeURIComponent(id)}` });
  };
  return (
    <search aria-label={t.organization.search}>
      <form onSubmit={open}>
        <Group align="flex-end" gap="sm">
          <TextInput name="id" required withAsterisk={false} label={t.organization.id} placeholder="org_…" />
          <Button type="submit" variant="default">
            {t.organization.open}
          </Button>
        </Group>
      </form>
    </search>
  );
};

/** The organizations of the stage, newest first. */
export const Organizations = () => {
  const t = useTexts(texts);
  const columns = useColumns();
  const list = useCursorList<OrganizationSummary>({
    queryKey: ['operator', 'organizations'],
    read: async (paging, signal) => api.operator.listOrganizations({ limit: LIMIT, ...paging }, { signal }),
  });
  return (
    <Stack>
      <OpenById />
      <CursorList
        query={list}
        caption={t.tabs.organizations}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon={Building2} title={t.organization.emptyTitle}>
            {t.organization.empty}
          </EmptyState>
        }
      />
    </Stack>
  );
};
