import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { Card, CardPage, Contact, Message } from '../../sdk.ts';
import { Amount } from '../../ui/amount.tsx';
import { contactName } from '../../ui/contacts.tsx';
import { type Column, DataTable, linkColumn } from '../../ui/data-table.tsx';
import { summaryOf } from '../../ui/message-text.ts';
import { LoadMore } from '../../ui/paging.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { CARD_TONES, StateOf, Time } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const LIMIT = 25;

interface ListProps<T> {
  readonly query: { readonly error: Error | null; readonly refetch: () => unknown };
  readonly title: string;
  readonly none: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[] | undefined;
}

const List = <T extends { readonly id: string }>({ query, title, none, columns, rows }: ListProps<T>) => (
  <Stack gap="sm">
    <ProblemView error={query.error} onRetry={() => void query.refetch()} />
    {!rows && !query.error ? <Loading rows={2} /> : null}
    {rows && rows.length > 0 ? (
      <DataTable caption={title} columns={columns} rows={rows} keyOf={({ id }) => id} />
    ) : null}
    {rows?.length === 0 ? (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    ) : null}
  </Stack>
);

/** How many of a list are left to read, by how many were skipped. */
const nextSkip = (pages: readonly { readonly items: readonly unknown[]; readonly total: number }[]) => {
  const read = pages.reduce((sum, { items }) => sum + items.length, 0);
  return read < (pages.at(-1)?.total ?? 0) && pages.at(-1)?.items.length ? read : undefined;
};

/** The people who work there: those first that wrote last. */
export const CompanyContacts = ({ id }: { readonly id: string }) => {
  const t = useTexts(texts);
  const list = useInfiniteQuery({
    queryKey: ['company', id, 'contacts'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => api.companies.contacts(id, { skip: pageParam, limit: LIMIT }, { signal }),
    getNextPageParam: (_, pages) => nextSkip(pages),
  });
  const columns: readonly Column<Contact>[] = [
    linkColumn(t.name, ({ id: contactId }) => `/contacts/${contactId}`, contactName),
    { key: 'phone', title: t.phone, cell: ({ phone }) => phone },
    {
      key: 'papel',
      title: t.papel,
      cell: ({ papelNaEmpresa }) => (papelNaEmpresa ? t.papeis[papelNaEmpresa] : '—'),
    },
    {
      key: 'last',
      title: t.ultimaInteracao,
      cell: ({ lastInteractionAt }) => <Time at={lastInteractionAt} relative />,
    },
  ];
  const rows = list.data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <List query={list} title={t.contatos} none={t.noContacts} columns={columns} rows={rows} />
      <LoadMore query={list} />
    </>
  );
};

/** The newest deals of a company, and how many there are of every status. */
export const useCompanyCards = (id: string) =>
  useQuery<CardPage>({
    queryKey: ['company', id, 'cards'],
    queryFn: async ({ signal }) => api.cards.ofCompany(id, { limit: LIMIT }, { signal }),
  });

/** The deals with the company. */
export const CompanyCards = ({ id }: { readonly id: string }) => {
  const t = useTexts(texts);
  const list = useCompanyCards(id);
  const columns: readonly Column<Card>[] = [
    linkColumn(
      t.titulo,
      (card) => `/pipelines/${card.pipelineId}/cards/${card.id}`,
      ({ titulo }) => titulo,
    ),
    {
      key: 'valor',
      title: t.valor,
      alignEnd: true,
      cell: ({ valor, moeda }) => <Amount value={valor} currency={moeda} />,
    },
    {
      key: 'status',
      title: t.status,
      cell: ({ status }) => <StateOf state={status} tones={CARD_TONES} words={t.cardStatuses} />,
    },
    { key: 'createdAt', title: t.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return <List query={list} title={t.cards} none={t.noCards} columns={columns} rows={list.data?.items} />;
};

/** The messages from and to its contacts in the last days. */
export const CompanyMessages = ({ id }: { readonly id: string }) => {
  const t = useTexts(texts);
  const list = useQuery({
    queryKey: ['company', id, 'messages'],
    queryFn: ({ signal }) => api.companies.messages(id, { limit: LIMIT }, { signal }),
  });
  const columns: readonly Column<Message>[] = [
    linkColumn(
      t.at,
      (message) => `/messages/${message.id}`,
      ({ createdAt }) => <Time at={createdAt} />,
    ),
    {
      key: 'person',
      title: t.person,
      cell: ({ direction, from, to, channel }) =>
        `${direction === 'inbound' ? from : to} · ${channel ?? ''} · ${direction === 'inbound' ? t.inbound : t.outbound}`,
    },
    { key: 'content', title: t.content, cell: (message) => <span className="breakable">{summaryOf(message)}</span> },
  ];
  return <List query={list} title={t.messages} none={t.noMessages} columns={columns} rows={list.data?.items} />;
};
