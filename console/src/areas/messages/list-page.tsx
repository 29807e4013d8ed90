import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { MessagesSquare, RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Message, MessagePage, MessagesListQuery } from '../../sdk.ts';
import { type Column, linkColumn } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, type FilterField, Filters, useFilterValues, useSearchValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { summaryOf } from '../../ui/message-text.ts';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { ComposeLink } from './compose-link.tsx';
import { MessageStatus } from './message-parts.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 5_000;

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  return useMemo(() => {
    const field = (name: keyof typeof t.fields, kind: FilterField['kind'], placeholder = '') => ({
      name,
      label: t.fields[name],
      kind,
      placeholder,
    });
    return [
      choiceFilter('status', t.fields.status, choicesOf(t.statuses)),
      field('contactId', 'text', 'cnt_…'),
      field('campaignId', 'text'),
      field('batchId', 'text', 'btc_…'),
      field('numberId', 'text', 'num_…'),
      field('sentByAccountId', 'text', 'acc_…'),
      field('from', 'moment'),
      field('to', 'moment'),
    ];
  }, [t]);
};

/**
 * The messages up to the moment at which the list was opened: they stay where they are while their states change, and pages do not shift. What
 * came since is counted, and shown when the person wants it.
 */
const useMessages = (filters: MessagesListQuery) => {
  const [openedAt, setOpenedAt] = useState(() => new Date().toISOString());
  const list = usePagedList<MessagePage, MessagesListQuery>({
    queryKey: ['messages'],
    filters: { to: openedAt, ...filters },
    read: (query, signal) => api.messages.list(query, { signal }),
    refreshMs: REFRESH_MS,
  });
  const from = new Date(Date.parse(openedAt) + 1).toISOString();
  const newer = useQuery({
    queryKey: ['messages', 'newer', filters, openedAt],
    queryFn: async ({ signal }) => (await api.messages.list({ ...filters, from, limit: 1 }, { signal })).total,
    enabled: filters.to === undefined,
    refetchInterval: REFRESH_MS,
  });
  return { list, newer: newer.data ?? 0, showNewer: () => setOpenedAt(new Date().toISOString()) };
};

const Person = ({ message }: { readonly message: Message }) => (
  <span className="breakable">{message.direction === 'inbound' ? message.from : message.to}</span>
);

const useColumns = (): readonly Column<Message>[] => {
  const t = useTexts(texts);
  return [
    linkColumn(
      t.columns.createdAt,
      ({ id }) => `/messages/${id}`,
      ({ createdAt }) => <Time at={createdAt} />,
    ),
    {
      key: 'channel',
      title: t.columns.channel,
      cell: ({ channel, direction }) => `${channel ?? '—'} · ${direction === 'inbound' ? t.inbound : t.outbound}`,
    },
    { key: 'person', title: t.columns.person, cell: (message) => <Person message={message} /> },
    {
      key: 'content',
      title: t.columns.content,
      cell: (message) => <span className="breakable">{summaryOf(message)}</span>,
    },
    { key: 'status', title: t.columns.status, cell: ({ status }) => <MessageStatus status={status} /> },
  ];
};

/** Every message, by every filter of the operation, live. */
export default function MessagesPage() {
  const t = useTexts(texts);
  const format = useFormat();
  const fields = useFields();
  const filters = useFilterValues(fields) as MessagesListQuery;
  const { list, newer, showNewer } = useMessages(filters);
  const [, change] = useSearchValues();
  const show = () => {
    change({ page: undefined });
    showNewer();
  };
  return (
    <Page title={t.title} description={t.description} actions={<ComposeLink />}>
      <Filters fields={fields} label={t.filters} />
      <div role="status">
        {newer > 0 ? (
          <Button variant="light" fullWidth onClick={show} leftSection={<RefreshCw size={16} aria-hidden />}>
            {t.newer(format.number(newer))}
          </Button>
        ) : null}
      </div>
      <PagedList
        query={list}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(MessagesSquare, t.emptyTitle, Object.keys(filters).length > 0 ? t.emptyFiltered : t.empty)}
      />
    </Page>
  );
}
