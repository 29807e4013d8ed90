import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Webhook, WebhookDelivery, WebhookDeliveryPage, WebhooksListDeliveriesQuery } from '../../sdk.ts';
import { DeliveryStatus, useDeliveryStatus } from '../../ui/attempts.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, linkColumn } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, Filters, useFilterValues } from '../../ui/filters.tsx';
import { PagedList, QueryView, usePagedList } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Fact, Facts, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookStatus } from './webhook-status.tsx';

const REFRESH_MS = 5_000;

const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { id, url, status, events, secretVersion, consecutiveFailures = 0, lastSuccessAt, lastFailureAt } = webhook;
  return (
    <Facts>
      <Fact name={t.status}>
        <WebhookStatus status={status} />
      </Fact>
      <Fact name={t.url}>{url}</Fact>
      {webhook.description ? <Fact name={t.descriptionLabel}>{webhook.description}</Fact> : null}
      <Fact name={t.events}>{events.join(', ')}</Fact>
      <Fact name={t.facts.version}>{format.number(secretVersion)}</Fact>
      <Fact name={t.facts.failures}>{format.number(consecutiveFailures)}</Fact>
      <Fact name={t.columns.lastSuccessAt}>
        <Time at={lastSuccessAt} />
      </Fact>
      <Fact name={t.facts.lastFailureAt}>
        <Time at={lastFailureAt} />
      </Fact>
      <Fact name={t.facts.createdAt}>
        <Time at={webhook.createdAt} />
      </Fact>
      <Fact name={t.facts.id}>
        <CopyText text={id} />
      </Fact>
    </Facts>
  );
};

const useColumns = (webhookId: string): readonly Column<WebhookDelivery>[] => {
  const t = useTexts(texts);
  const format = useFormat();
  return [
    linkColumn(
      t.deliveryColumns.at,
      ({ id }) => `/webhooks/${webhookId}/deliveries/${id}`,
      ({ createdAt }) => <Time at={createdAt} />,
    ),
    { key: 'type', title: t.deliveryColumns.type, cell: ({ type }) => type },
    {
      key: 'sequence',
      title: t.deliveryColumns.sequence,
      alignEnd: true,
      cell: ({ sequence }) => (sequence === undefined ? '—' : format.number(sequence)),
    },
    { key: 'status', title: t.deliveryColumns.status, cell: ({ status }) => <DeliveryStatus status={status} /> },
    {
      key: 'attempts',
      title: t.deliveryColumns.attempts,
      alignEnd: true,
      cell: ({ attempts }) => format.number(attempts.length),
    },
  ];
};

const Deliveries = ({ id }: { readonly id: string }) => {
  const t = useTexts(texts);
  const statuses = useDeliveryStatus();
  const fields = useMemo(() => [choiceFilter('status', t.deliveryColumns.status, choicesOf(statuses))], [t, statuses]);
  const filters = useFilterValues(fields) as WebhooksListDeliveriesQuery;
  const list = usePagedList<WebhookDeliveryPage, WebhooksListDeliveriesQuery>({
    queryKey: ['webhook', id, 'deliveries'],
    filters,
    read: (query, signal) => api.webhooks.listDeliveries(id, query, { signal }),
    refreshMs: REFRESH_MS,
  });
  return (
    <Section title={t.deliveries}>
      <Filters fields={fields} label={t.deliveryFilters} />
      <PagedList
        query={list}
        caption={t.deliveries}
        columns={useColumns(id)}
        keyOf={(row) => row.id}
        empty={emptyState(Send, t.noDeliveries, t.noDeliveriesHint)}
      />
    </Section>
  );
};

/** A subscription, and what was delivered to it. */
export default function WebhookPageView() {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const webhook = useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) => api.webhooks.get(id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title="Webhook" actions={webhook.data ? <WebhookActions webhook={webhook.data} /> : null}>
      <QueryView query={webhook}>
        {(data) => (
          <Stack gap="xl">
            <WebhookFacts webhook={data} />
            <Deliveries id={id} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
