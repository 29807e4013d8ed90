import { Button, Code, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ApiKeyPage } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { QueryView, usePagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { Paging } from '../../ui/paging.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { StateOf, Time, type Tone } from '../../ui/values.tsx';
import { CreateKeyDialog } from './create-dialog.tsx';
import { KeyActions } from './key-actions.tsx';
import { type KeyNode, type KeyState, stateOf, treeOf } from './key-tree.ts';
import { texts } from './texts.ts';

const LIMIT = 200;
const TONES: Readonly<Record<KeyState, Tone>> = {
  active: 'good',
  rotating: 'pending',
  expired: 'neutral',
  revoked: 'neutral',
};

const Name = ({ node: { key, depth } }: { readonly node: KeyNode }) => (
  <span className="breakable" style={{ paddingInlineStart: `${depth}rem` }}>
    {depth > 0 ? '↳ ' : ''}
    {key.name} <Code>…{key.last4}</Code>
  </span>
);

const useColumns = (): readonly Column<KeyNode>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  const may = useMay();
  const works = ({ key }: KeyNode) => stateOf(key) === 'active' || stateOf(key) === 'rotating';
  const actions: readonly Column<KeyNode>[] = may('keys:write')
    ? [
        {
          key: 'actions',
          title: t.columns.actions,
          alignEnd: true,
          cell: (node) => (works(node) ? <KeyActions apiKey={node.key} /> : null),
        },
      ]
    : [];
  return [
    { key: 'name', title: t.columns.name, cell: (node) => <Name node={node} /> },
    {
      key: 'status',
      title: t.columns.status,
      cell: ({ key }) => <StateOf state={stateOf(key)} tones={TONES} words={t.statuses} />,
    },
    {
      key: 'scopes',
      title: t.columns.scopes,
      alignEnd: true,
      cell: ({ key }) => <span title={key.scopes.join(', ')}>{format.number(key.scopes.length)}</span>,
    },
    {
      key: 'allowedIps',
      title: t.columns.allowedIps,
      cell: ({ key }) => <span className="breakable">{key.allowedIps?.join(', ') ?? t.anywhere}</span>,
    },
    {
      key: 'lastUsed',
      title: t.columns.lastUsed,
      cell: ({ key }) =>
        key.lastUsedAt ? (
          <span title={key.lastUsedIp}>
            <Time at={key.lastUsedAt} />
          </span>
        ) : (
          t.never
        ),
    },
    {
      key: 'expiresAt',
      title: t.columns.expiresAt,
      cell: ({ key }) => (key.expiresAt ? <Time at={key.expiresAt} /> : t.never),
    },
    ...actions,
  ];
};

/** The keys of the organization in this environment, each below the one that created it. */
export default function KeysPage() {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const list = usePagedList<ApiKeyPage>({
    queryKey: ['keys'],
    read: (query, signal) => api.keys.list(query, { signal }),
    limit: LIMIT,
  });
  const create = may('keys:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <QueryView query={list}>
        {({ items, total }) => (
          <Stack>
            {items.length > 0 ? (
              <DataTable caption={t.title} columns={columns} rows={treeOf(items)} keyOf={({ key }) => key.id} />
            ) : (
              <EmptyState icon={KeyRound} title={t.emptyTitle}>
                {t.empty}
              </EmptyState>
            )}
            <Paging limit={LIMIT} total={total} />
          </Stack>
        )}
      </QueryView>
      {creating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
