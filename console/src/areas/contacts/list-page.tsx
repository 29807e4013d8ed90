import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Contact as ContactIcon } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ContactsListQuery } from '../../sdk.ts';
import { ContactExport } from '../../ui/contact-export.tsx';
import { useConsentWords, useContactColumns } from '../../ui/contacts.tsx';
import { type Choice, choicesOf } from '../../ui/fields.tsx';
import { choiceFilter, type FilterField, Filters, useFilterValues, useSearchValues } from '../../ui/filters.tsx';
import { PagedList, usePagedList } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { emptyState } from '../../ui/states.tsx';
import { CreateContactDialog } from './dialogs.ts';
import { contactsQuery, listsQuery } from './queries.ts';
import { texts } from './texts.ts';

const useFields = (): readonly FilterField[] => {
  const t = useTexts(texts);
  const consents = useConsentWords();
  const lists = useQuery(listsQuery());
  // Up to 1,000 choices: the contacts are rendered first.
  const known = useDeferredValue(lists.data);
  return useMemo(() => {
    const ofLists = (known?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
    const choice = (name: keyof typeof t.filterFields, choices: readonly Choice[]) =>
      choiceFilter(name, t.filterFields[name], choices);
    return [
      choice('optInStatus', choicesOf(consents)),
      choice('source', choicesOf(t.sources)),
      ...(ofLists.length > 0 ? [choice('listId', ofLists)] : []),
      { name: 'tag', label: t.filterFields.tag, kind: 'text' },
      { name: 'externalId', label: t.filterFields.externalId, kind: 'text' },
      { name: 'updatedSince', label: t.filterFields.updatedSince, kind: 'moment' },
    ];
  }, [t, consents, known]);
};

const Actions = ({ onCreate }: { readonly onCreate: () => void }) => {
  const t = useTexts(texts);
  const may = useMay();
  return (
    <>
      {may('contacts:write') ? <Button onClick={onCreate}>{t.create}</Button> : null}
      {may('contacts:write') ? (
        <Button variant="default" component={Link} to="/contacts/import">
          {t.import}
        </Button>
      ) : null}
      {may('messages:read') ? <ContactExport /> : null}
    </>
  );
};

/** The contacts of the organization, by a search and by every filter of the operation. */
export default function ContactsPage() {
  const t = useTexts(texts);
  const may = useMay();
  const fields = useFields();
  const filters = useFilterValues(fields) as ContactsListQuery;
  const [{ q }] = useSearchValues();
  const [creating, setCreating] = useState(false);
  const query = { ...filters, ...(q?.trim() ? { q: q.trim() } : {}) };
  const list = usePagedList(contactsQuery(query));
  const isFiltered = Object.keys(query).length > 0;
  return (
    <Page title={t.title} description={t.description} actions={<Actions onCreate={() => setCreating(true)} />}>
      {/* Whoever sees phones masked cannot search by them: the service would drop the search. */}
      {may('pii:full') ? (
        <SearchField label={t.search} placeholder={t.searchHint} busy={list.isFetching && q !== undefined} />
      ) : null}
      <Filters fields={fields} label={t.filters} />
      {list.data?.warnings?.map((warning) => (
        <Alert key={warning} color="yellow" variant="outline">
          {warning}
        </Alert>
      ))}
      <PagedList
        query={list}
        caption={t.title}
        columns={useContactColumns()}
        keyOf={({ id }) => id}
        empty={emptyState(
          ContactIcon,
          isFiltered ? t.emptyFilteredTitle : t.emptyTitle,
          isFiltered ? t.emptyFiltered : t.empty,
        )}
      />
      {creating ? <CreateContactDialog.Component onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}
