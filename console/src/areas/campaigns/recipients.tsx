import { Stack, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignRecipient, CampaignRecipientPage, CampaignsRecipientsQuery } from '../../sdk.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { type FilterField, Filters, useFilterValues } from '../../ui/filters.tsx';
import { LoadMore } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { EmptyState, Loading } from '../../ui/states.tsx';
import { AppLink } from '../../ui/values.tsx';
import { RECIPIENT_STATUSES, RecipientStatus } from './campaign-status.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

const useColumns = (): readonly Column<CampaignRecipient>[] => {
  const t = useTexts(texts);
  return [
    {
      key: 'contact',
      title: t.recipientColumns.contact,
      cell: ({ contactId }) => <span className="breakable">{contactId}</span>,
    },
    {
      key: 'status',
      title: t.recipientColumns.status,
      cell: ({ status, reason }) => (
        <>
          <RecipientStatus status={status} /> {reason}
        </>
      ),
    },
    { key: 'variant', title: t.recipientColumns.variant, cell: ({ variant }) => variant ?? '—' },
    {
      key: 'message',
      title: t.recipientColumns.message,
      cell: ({ messageId }) => (messageId ? <AppLink to={`/messages/${messageId}`}>{messageId}</AppLink> : '—'),
    },
  ];
};

/** Who a campaign is sent to, and how each stands. */
export const Recipients = ({ campaign: { id, variants, status } }: { readonly campaign: Campaign }) => {
  const t = useTexts(texts);
  const columns = useColumns();
  const fields = useMemo((): readonly FilterField[] => {
    const choices = RECIPIENT_STATUSES.map((value) => ({ value, label: t.recipientStatuses[value] }));
    const names = variants?.map(({ name }) => ({ value: name, label: name }));
    return [
      { name: 'status', label: t.recipientColumns.status, kind: 'choice', choices },
      ...(names
        ? [{ name: 'variant', label: t.recipientColumns.variant, kind: 'choice' as const, choices: names }]
        : []),
    ];
  }, [t, variants]);
  const filters = useFilterValues(fields) as CampaignsRecipientsQuery;
  const list = useInfiniteQuery({
    queryKey: ['campaign', id, 'recipients', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }): Promise<CampaignRecipientPage> =>
      api.campaigns.recipients(id, { ...filters, ...(pageParam ? { cursor: pageParam } : {}) }, { signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: status === 'running' ? REFRESH_MS : false,
  });
  const rows = list.data?.pages.flatMap(({ items }) => items);
  return (
    <Stack component="section" aria-label={t.recipients}>
      <Title order={2} size="h4">
        {t.recipients}
      </Title>
      <Filters fields={fields} label={t.recipientFilters} />
      <ProblemView error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending && !list.error ? <Loading /> : null}
      {rows && rows.length > 0 ? (
        <DataTable caption={t.recipients} columns={columns} rows={rows} keyOf={({ contactId }) => contactId} />
      ) : null}
      {rows?.length === 0 && !list.hasNextPage ? (
        <EmptyState icon={Users} title={t.noRecipients}>
          {t.noRecipientsHint}
        </EmptyState>
      ) : null}
      <LoadMore query={list} />
    </Stack>
  );
};
