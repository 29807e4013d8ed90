import { Code, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { AuditEntry, AuditListQuery, AuditPage } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadMore } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const LIMIT = 50;

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  return useMemo(
    () => [
      { name: 'actor', label: t.fields.actor, kind: 'text', placeholder: 'key_… acc_…' },
      { name: 'action', label: t.fields.action, kind: 'text', placeholder: t.actionHint },
      { name: 'object', label: t.fields.object, kind: 'text' },
      { name: 'from', label: t.fields.from, kind: 'moment' },
      { name: 'to', label: t.fields.to, kind: 'moment' },
    ],
    [t],
  );
};

const useColumns = (): readonly Column<AuditEntry>[] => {
  const t = useTexts(texts);
  return [
    { key: 'at', title: t.columns.at, cell: ({ at }) => <Time at={at} /> },
    {
      key: 'actor',
      title: t.columns.actor,
      cell: ({ actor }) => (
        <span className="breakable" title={actor.id}>
          {actor.kind === 'operator' ? t.operator : `${actor.name ?? actor.id} · ${t.kinds[actor.kind]}`}
        </span>
      ),
    },
    { key: 'action', title: t.columns.action, cell: ({ action }) => <Code>{action}</Code> },
    { key: 'object', title: t.columns.object, cell: ({ object }) => <span className="breakable">{object}</span> },
    { key: 'ip', title: t.columns.ip, cell: ({ ip }) => ip ?? '—' },
    {
      key: 'details',
      title: t.columns.details,
      cell: ({ details }) =>
        Object.keys(details).length === 0 ? '—' : <Code className="breakable">{JSON.stringify(details)}</Code>,
    },
  ];
};

/** What was done in the organization, newest first. */
export default function AuditLogPage() {
  const t = useTexts(texts);
  const fields = useFields();
  const columns = useColumns();
  const filters = useFilterValues(fields) as AuditListQuery;
  const log = useInfiniteQuery({
    queryKey: ['audit', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }): Promise<AuditPage> =>
      api.audit.list({ ...filters, limit: LIMIT, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const entries = log.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page title={t.title} description={t.description}>
      <Filters fields={fields} label={t.filters} />
      <ProblemView error={log.error} onRetry={() => void log.refetch()} />
      {log.isPending && !log.error ? <Loading /> : null}
      {log.data ? (
        <Stack>
          {entries.length > 0 ? (
            <DataTable caption={t.title} columns={columns} rows={entries} keyOf={({ id }) => id} />
          ) : (
            <EmptyState icon={ScrollText} title={t.emptyTitle}>
              {t.empty}
            </EmptyState>
          )}
          <LoadMore query={log} />
        </Stack>
      ) : null}
    </Page>
  );
}
