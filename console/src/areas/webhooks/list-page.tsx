import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Webhook, WebhookPage, WebhooksListQuery } from '../../sdk.ts';
import type { Column } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { PagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { useSkip } from '../../ui/paging.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { CreateWebhookDialog } from './create-dialog.tsx';
import { texts } from './texts.ts';
import { WebhookStatus } from './webhook-status.tsx';

const LIMIT = 50;

const useColumns = (): readonly Column<Webhook>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    {
      key: 'url',
      title: t.columns.url,
      cell: ({ id, url }) => (
        <AppLink to={`/webhooks/${id}`} className="breakable">
          {url}
        </AppLink>
      ),
    },
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
  const skip = useSkip(LIMIT);
  const columns = useColumns();
  const [creating, setCreating] = useState(false);
  const fields = useMemo((): readonly FilterField[] => {
    const choices = choicesOf(t.statuses);
    return [
      { name: 'status', label: t.status, kind: 'choice', choices },
      { name: 'event', label: t.testEvent, kind: 'text', placeholder: 'sms.delivered' },
    ];
  }, [t]);
  const filters = useFilterValues(fields) as WebhooksListQuery;
  const list = useQuery<WebhookPage>({
    queryKey: ['webhooks', filters, skip],
    queryFn: async ({ signal }) => api.webhooks.list({ ...filters, skip, limit: LIMIT }, { signal }),
  });
  const create = may('webhooks:write') ? <Button onClick={() => setCreating(true)}>{t.create}</Button> : null;
  return (
    <Page title={t.title} description={t.description} actions={create}>
      <Filters fields={fields} label={t.filters} />
      <PagedList
        query={list}
        limit={LIMIT}
        caption={t.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon={WebhookIcon} title={t.emptyTitle}>
            {t.empty}
          </EmptyState>
        }
      />
      {creating ? <CreateWebhookDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
