import { Button, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ContactExport } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { ChoiceField } from '../../ui/fields.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Section } from '../../ui/page.tsx';
import { AppLink, Time } from '../../ui/values.tsx';
import { pageTexts } from './page-texts.ts';

const AddDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useTexts(pageTexts).lists;
  const lists = useQuery({ queryKey: ['lists'], queryFn: ({ signal }) => api.lists.all({ signal }) });
  const choices = (lists.data?.items ?? []).map((list) => ({ value: list.id, label: list.name }));
  const [chosen, setChosen] = useState('');
  const listId = chosen === '' ? (choices[0]?.value ?? '') : chosen;
  return (
    <ActionDialog
      title={t.add}
      act={() => api.lists.addMembers(listId, { contactIds: [id] })}
      invalidates={[['kept-of-contact', id], ['lists'], ['list', listId]]}
      onClose={onClose}
    >
      <ChoiceField name="listId" required label={t.list} value={listId} onChange={setChosen} choices={choices} />
    </ActionDialog>
  );
};

const Links = ({ title, children }: { readonly title: string; readonly children: readonly ReactNode[] }) => {
  const t = useTexts(pageTexts).lists;
  return (
    <Section title={title}>
      {children.length === 0 ? <Text c="dimmed">{t.none}</Text> : <List>{children}</List>}
    </Section>
  );
};

const Shown = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).lists;
  const kept = useQuery<ContactExport>({
    queryKey: ['kept-of-contact', id],
    // The smallest page: what is asked for is on the first, whatever its size.
    queryFn: async ({ signal }) => api.contacts.export(id, { limit: 1 }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryView query={kept}>
      {({ lists = [], segments = [] }) => (
        <>
          <Links title={t.lists}>
            {lists.map((list) => (
              <List.Item key={list.id}>
                <AppLink to={`/lists/${list.id}`}>{list.name}</AppLink>
              </List.Item>
            ))}
          </Links>
          <Links title={t.segments}>
            {segments.map((segment) => (
              <List.Item key={segment.id}>
                <AppLink to={`/segments/${segment.id}/contacts/${id}`}>{segment.name ?? segment.id}</AppLink>{' '}
                {segment.member ? null : `(${t.left}) `}
                <Time at={segment.since} />
              </List.Item>
            ))}
          </Links>
        </>
      )}
    </QueryView>
  );
};

/** The lists and segments that a contact is in. They are part of what is kept of a person, which is read only when somebody asks. */
export const Memberships = ({ id }: { readonly id: string }) => {
  const t = useTexts(pageTexts).lists;
  const may = useMay();
  const [shown, setShown] = useState(false);
  const [adding, setAdding] = useState(false);
  return (
    <Stack align="flex-start">
      {may('contacts:write') ? (
        <Button variant="default" onClick={() => setAdding(true)}>
          {t.add}
        </Button>
      ) : null}
      {may('pii:full') && !shown ? (
        <>
          <Text size="sm">{t.hint}</Text>
          <Button onClick={() => setShown(true)}>{t.show}</Button>
        </>
      ) : null}
      {shown ? <Shown id={id} /> : null}
      {adding ? <AddDialog id={id} onClose={() => setAdding(false)} /> : null}
    </Stack>
  );
};
