import { Button } from '@mantine/core';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Webhook, WebhookPage, WebhooksListQuery } from '../../sdk.ts';
import { type Column, nameColumn } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/values.tsx';
import { CreateWebhookDialog } from './create-dialog.tsx';
import { texts } from './texts.ts';
import { WebhookStatus } from './webhook-status.tsx';

const useColumns = (): readonly Column<Webhook>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    nameColumn(t.columns.url, '/webhooks', 'url'),
    { key: 'status', title: t.columns.status, cell: ({ status }) => <WebhookStatus status={status} /> },
    {
      key: 'events',
      title: t.columns.events,
      alignEnd: true,
      cell: ({ events }) => <span title={events.join(', ')}>{format.number(events.length)}</span>,
    },
    {
      key: 'lastSuccessAt',
      title: t.columns.lastSuccessAt,
      cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} />,
    },
  ];
};

/** The subscriptions of the organization. */
export default function WebhooksPage() {
  const t = useTexts(texts);
  const may = useMay();
  const [creating, setCreating] = useState(false);
  const fields = useMemo(
    (): readonly FilterField[] => [
      choiceFilter('status', t.status, choicesOf(t.statuses)),
      { name: 'event', label: t.testEvent, kind: 'text', placeholder: 'sms.delivered' },
    ],
    [t],
  );
  const filters = useFilterValues(fields) as WebhooksListQuery;
  const list = usePagedList<WebhookPage, WebhooksListQuery>({
    queryKey: ['webhooks'],
    filters,
    read: (query, signal) => api.webhooks.list(query, { signal }),
  });
  const create = may('webhooks:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <PagedList
        query={list}
        caption={t.title}
        columns={useColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(WebhookIcon, t.emptyTitle, t.empty)}
      />
      {creating ? <CreateWebhookDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
