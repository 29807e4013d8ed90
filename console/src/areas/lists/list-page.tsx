import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Contact, StaticList } from '../../sdk.ts';
import { ContactExport } from '../../ui/contact-export.tsx';
import { contactName, useContactColumns } from '../../ui/contacts.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, RowButton } from '../../ui/data-table.tsx';
import { useSearchValues } from '../../ui/filters.tsx';
import { PagedList, QueryView, usePagedList } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Fact, Facts, Time } from '../../ui/values.tsx';
import { DeleteListDialog, EditListDialog } from './list-dialogs.tsx';
import { MembersDialog, RemoveMemberDialog } from './members-dialog.tsx';
import { listQuery, membersQuery } from './queries.ts';
import { texts } from './texts.ts';

const ListFacts = ({ list }: { readonly list: StaticList }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Facts>
      <Fact name={t.columns.size}>{format.number(list.size)}</Fact>
      {list.description ? <Fact name={t.about}>{list.description}</Fact> : null}
      <Fact name={t.createdAt}>
        <Time at={list.createdAt} />
      </Fact>
      <Fact name={t.columns.updatedAt}>
        <Time at={list.updatedAt} />
      </Fact>
      <Fact name={t.id}>
        <CopyText text={list.id} />
      </Fact>
    </Facts>
  );
};

const useColumns = (onRemove: (contact: Contact) => void): readonly Column<Contact>[] => {
  const t = useTexts(texts);
  const may = useMay();
  const columns = useContactColumns();
  if (!may('contacts:write')) return columns;
  const remove: Column<Contact> = {
    key: 'actions',
    title: t.actions,
    alignEnd: true,
    cell: (contact) => (
      <RowButton label={t.removeOne(contactName(contact))} onClick={() => onRemove(contact)}>
        {t.remove}
      </RowButton>
    ),
  };
  return [...columns, remove];
};

const useMembers = (listId: string) => {
  const [{ q }] = useSearchValues();
  return usePagedList(membersQuery(listId, q));
};

interface MembersProps {
  readonly listId: string;
  readonly list: ReturnType<typeof useMembers>;
}

/** The contacts that are in a list now. */
const Members = ({ listId, list }: MembersProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const [{ q }] = useSearchValues();
  const [removing, setRemoving] = useState<Contact>();
  return (
    <Section title={t.members}>
      {may('pii:full') ? (
        <SearchField label={t.search} placeholder={t.searchHint} busy={list.isFetching && q !== undefined} />
      ) : null}
      <PagedList
        query={list}
        caption={t.members}
        columns={useColumns(setRemoving)}
        keyOf={({ id }) => id}
        empty={emptyState(UsersRound, t.noMembersTitle, q ? t.nobody : t.noMembers)}
      />
      {removing ? (
        <RemoveMemberDialog
          listId={listId}
          contact={{ id: removing.id, name: contactName(removing) }}
          onClose={() => setRemoving(undefined)}
        />
      ) : null}
    </Section>
  );
};

type Dialog = 'add' | 'remove' | 'edit' | 'delete';

const Actions = ({ list }: { readonly list: StaticList }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<Dialog>();
  const onClose = () => setDialog(undefined);
  const words = { add: t.add, remove: t.takeOut, edit: t.edit, delete: t.delete } as const;
  const offered: readonly Dialog[] = may('contacts:write') ? ['add', 'remove', 'edit', 'delete'] : [];
  return (
    <>
      {offered.map((each) => (
        <Button key={each} variant={each === 'add' ? 'filled' : 'default'} onClick={() => setDialog(each)}>
          {words[each]}
        </Button>
      ))}
      {may('messages:read') ? <ContactExport listId={list.id} /> : null}
      {dialog === 'add' || dialog === 'remove' ? (
        <MembersDialog listId={list.id} change={dialog} onClose={onClose} />
      ) : null}
      {dialog === 'edit' ? <EditListDialog list={list} onClose={onClose} /> : null}
      {dialog === 'delete' ? <DeleteListDialog list={list} onClose={onClose} /> : null}
    </>
  );
};

/** A list: its contacts, and what can be done with it. */
export default function ListPageView() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const list = useQuery(listQuery(id));
  // Fetched in parallel with the list.
  const members = useMembers(id);
  return (
    <Page title={list.data?.name ?? t.title} actions={list.data ? <Actions list={list.data} /> : null}>
      <QueryView query={list}>
        {(data) => (
          <Stack gap="xl">
            <ListFacts list={data} />
            <Members listId={id} list={members} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
