import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Contact, Segment } from '../../sdk.ts';
import { DeleteDialog } from '../../ui/action-dialog.tsx';
import { chunkOf } from '../../ui/chunk.tsx';
import { ContactExport } from '../../ui/contact-export.tsx';
import { contactName, useContactColumns } from '../../ui/contacts.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { type Column, RowLink } from '../../ui/data-table.tsx';
import { TextField } from '../../ui/fields.tsx';
import { CursorList, QueryView, useCursorList } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { emptyState } from '../../ui/states.tsx';
import { Fact, Facts, Time } from '../../ui/values.tsx';
import { Conditions } from './conditions-view.tsx';
import { membersQuery, segmentQuery } from './queries.ts';
import { texts } from './texts.ts';

// The members of the segment are shown before a field with a list of choices is made.
const ContactField = chunkOf(async () => ({ default: (await import('../../ui/contact-field.tsx')).ContactField }));
/** Of a field with its label: what it keeps free until it is there. */
const FIELD_SIZE = { width: '14rem', height: '3.75rem' } as const;

const SegmentFacts = ({ segment }: { readonly segment: Segment }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { id, size, evaluatedAt, description, createdAt, updatedAt } = segment;
  return (
    <Facts>
      <Fact name={t.columns.size}>{format.number(size)}</Fact>
      <Fact name={t.evaluatedAt}>
        <Time at={evaluatedAt} />
      </Fact>
      {description ? <Fact name={t.about}>{description}</Fact> : null}
      <Fact name={t.createdAt}>
        <Time at={createdAt} />
      </Fact>
      <Fact name={t.columns.updatedAt}>
        <Time at={updatedAt} />
      </Fact>
      <Fact name={t.id}>
        <CopyText text={id} />
      </Fact>
    </Facts>
  );
};

const useMembers = (segmentId: string) => useCursorList(membersQuery(segmentId));

interface MembersProps {
  readonly segmentId: string;
  readonly members: ReturnType<typeof useMembers>;
}

const Members = ({ segmentId, members }: MembersProps) => {
  const t = useTexts(texts);
  const why: Column<Contact> = {
    key: 'why',
    title: t.why,
    cell: (contact) => (
      <RowLink to={`/segments/${segmentId}/contacts/${contact.id}`} aria-label={t.whyOf(contactName(contact))}>
        {t.why}
      </RowLink>
    ),
  };
  return (
    <Section title={t.members}>
      <CursorList
        query={members}
        caption={t.members}
        columns={[...useContactColumns(), why]}
        keyOf={({ id }) => id}
        empty={emptyState(UsersRound, t.noMembersTitle, t.noMembers)}
      />
    </Section>
  );
};

/** Leads to why a contact is in the segment or not. */
const Explain = ({ segmentId }: { readonly segmentId: string }) => {
  const t = useTexts(texts);
  const may = useMay();
  const navigate = useNavigate();
  const [contactId, setContactId] = useState('');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void navigate({ to: `/segments/${segmentId}/contacts/${encodeURIComponent(contactId.trim())}` });
  };
  return (
    <Section title={t.explain}>
      <Group component="form" align="flex-end" onSubmit={submit}>
        {/* A person who sees masked phones cannot search by them. */}
        {may('pii:full') ? (
          <ContactField.Component
            label={t.contact}
            value={contactId}
            onChange={setContactId}
            waiting={<Skeleton {...FIELD_SIZE} />}
          />
        ) : (
          <TextField
            name="contactId"
            label={t.contactId}
            description={t.explainHint}
            placeholder="cnt_…"
            value={contactId}
            onChange={setContactId}
          />
        )}
        <Button type="submit" variant="default" disabled={contactId.trim() === ''}>
          {t.show}
        </Button>
      </Group>
    </Section>
  );
};

const Actions = ({ id }: { readonly id: string }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      {may('contacts:write') ? (
        <Button component={Link} to={`/segments/${id}/edit`}>
          {t.edit}
        </Button>
      ) : null}
      {may('messages:read') ? <ContactExport segmentId={id} /> : null}
      {may('contacts:write') ? (
        <Button variant="default" onClick={() => setDeleting(true)}>
          {t.delete}
        </Button>
      ) : null}
      {deleting ? (
        <DeleteDialog
          title={t.delete}
          hint={t.deleteHint}
          remove={() => api.segments.delete(id)}
          leadsTo="/segments"
          invalidates={[['segments']]}
          onClose={() => setDeleting(false)}
        />
      ) : null}
    </>
  );
};

/** A segment: what it asks, and who meets it now. */
export default function SegmentPageView() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const segment = useQuery(segmentQuery(id));
  // Fetched in parallel with the segment.
  const members = useMembers(id);
  return (
    <Page title={segment.data?.name ?? t.title} actions={segment.data ? <Actions id={id} /> : null}>
      <QueryView query={segment}>
        {(data) => (
          <Stack gap="xl">
            <SegmentFacts segment={data} />
            <Section title={t.conditions}>
              <Conditions segment={data} />
            </Section>
            <Explain segmentId={id} />
            <Members segmentId={id} members={members} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
