import { Code } from '@mantine/core';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { AuditEntry, AuditListQuery } from '../../sdk.ts';
import type { Column } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { CursorList, useCursorList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
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

/** The acts in the organization, newest first. */
export default function AuditLogPage() {
  const t = useTexts(texts);
  const fields = useFields();
  const columns = useColumns();
  const filters = useFilterValues(fields) as AuditListQuery;
  const log = useCursorList<AuditEntry>({
    queryKey: ['audit', filters],
    read: async (paging, signal) => api.audit.list({ ...filters, limit: LIMIT, ...paging }, { signal }),
  });
  return (
    <Page title={t.title} description={t.description}>
      <Filters fields={fields} label={t.filters} />
      <CursorList
        query={log}
        caption={t.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={emptyState(ScrollText, t.emptyTitle, t.empty)}
      />
    </Page>
  );
}
