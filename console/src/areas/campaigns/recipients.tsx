import { Users } from 'lucide-react';
import { useMemo } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignRecipient, CampaignsRecipientsQuery } from '../../sdk.ts';
import type { Column } from '../../ui/data-table.tsx';
import { choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, Filters, useFilterValues } from '../../ui/filters.tsx';
import { CursorList, useCursorList } from '../../ui/lists.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AppLink } from '../../ui/values.tsx';
import { RecipientStatus } from './campaign-status.tsx';
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
  const fields = useMemo(() => {
    const names = variants?.map(({ name }) => ({ value: name, label: name }));
    return [
      choiceFilter('status', t.recipientColumns.status, choicesOf(t.recipientStatuses)),
      ...(names ? [choiceFilter('variant', t.recipientColumns.variant, names)] : []),
    ];
  }, [t, variants]);
  const filters = useFilterValues(fields) as CampaignsRecipientsQuery;
  const list = useCursorList<CampaignRecipient>({
    queryKey: ['campaign', id, 'recipients', filters],
    read: async (paging, signal) => api.campaigns.recipients(id, { ...filters, ...paging }, { signal }),
    ...(status === 'running' ? { refreshMs: REFRESH_MS } : {}),
  });
  return (
    <Section title={t.recipients}>
      <Filters fields={fields} label={t.recipientFilters} />
      <CursorList
        query={list}
        caption={t.recipients}
        columns={useColumns()}
        keyOf={({ contactId }) => contactId}
        empty={
          // A page of a filter may have none of those that further pages have.
          list.hasNextPage ? null : (
            <EmptyState icon={Users} title={t.noRecipients}>
              {t.noRecipientsHint}
            </EmptyState>
          )
        }
      />
    </Section>
  );
};
