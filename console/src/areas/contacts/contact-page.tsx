import { Button, List, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Merge } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { type ContactRead, isProblem } from '../../sdk.ts';
import { useAmount } from '../../ui/amount.tsx';
import { Consent, contactName } from '../../ui/contacts.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { useSearchValues } from '../../ui/filters.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { AddressTabs, type Tab } from '../../ui/tabs.tsx';
import { AppLink, Fact, Facts, Tag, TagGroup, Time } from '../../ui/values.tsx';
import { ConsentHistory } from './consent.tsx';
import { EditContactDialog, MergeDialog } from './dialogs.ts';
import { Journeys } from './journeys.tsx';
import { Memberships } from './memberships.tsx';
import { pageTexts } from './page-texts.ts';
import { Privacy } from './privacy.tsx';
import { contactQuery } from './queries.ts';
import { Activities, Deals } from './sales.tsx';
import { Story, useStory } from './story.tsx';
import { texts } from './texts.ts';

/** The company by its name, for whoever may read companies. */
const Company = ({ id }: { readonly id: string }) => {
  const may = useMay();
  const company = useQuery({
    queryKey: ['company', id],
    queryFn: ({ signal }) => api.companies.get(id, { signal }),
    enabled: may('crm:read'),
  });
  return <AppLink to={`/companies/${id}`}>{company.data?.nome ?? id}</AppLink>;
};

const ContactFacts = ({ contact }: { readonly contact: ContactRead }) => {
  const t = useTexts(texts);
  const page = useTexts(pageTexts);
  const { phone, otherPhones, email, optIn, externalId, externalIds, companyId, papelNaEmpresa, tags } = contact;
  return (
    <Facts>
      <Fact name={t.fields.phone}>{phone}</Fact>
      {otherPhones ? <Fact name={page.facts.otherPhones}>{otherPhones.join(', ')}</Fact> : null}
      <Fact name={t.fields.email}>{email ?? '—'}</Fact>
      <Fact name={t.filterFields.optInStatus}>
        <Consent status={optIn.status} />
      </Fact>
      {companyId ? (
        <Fact name={t.fields.companyId}>
          <Company id={companyId} />
          {papelNaEmpresa ? ` · ${t.companyRoles[papelNaEmpresa]}` : ''}
        </Fact>
      ) : null}
      <Fact name={t.fields.tags}>
        {tags.length === 0 ? (
          '—'
        ) : (
          <TagGroup>
            {tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </TagGroup>
        )}
      </Fact>
      <Fact name={page.facts.lastInteractionAt}>
        <Time at={contact.lastInteractionAt} />
      </Fact>
      <Fact name={page.facts.source}>{t.sources[contact.source]}</Fact>
      <Fact name={page.facts.createdAt}>
        <Time at={contact.createdAt} />
      </Fact>
      <Fact name={page.facts.updatedAt}>
        <Time at={contact.updatedAt} />
      </Fact>
      {externalId ? <Fact name={t.fields.externalId}>{externalId}</Fact> : null}
      {externalIds ? (
        <Fact name={page.facts.externalIds}>
          {Object.entries(externalIds)
            .map(([system, id]) => `${system}: ${id}`)
            .join(', ')}
        </Fact>
      ) : null}
      <Fact name={page.facts.id}>
        <CopyText text={contact.id} />
      </Fact>
    </Facts>
  );
};

const CENTS = 100;

const Attributes = ({ contact }: { readonly contact: ContactRead }) => {
  const t = useTexts(pageTexts);
  const amount = useAmount();
  const attributes = Object.entries(contact.attributes);
  const debts = contact.debtorGroups ?? [];
  return (
    <>
      {attributes.length > 0 ? (
        <Section title={t.attributes}>
          <Facts>
            {attributes.map(([key, value]) => (
              <Fact key={key} name={key}>
                {Array.isArray(value) ? value.join(', ') : String(value)}
              </Fact>
            ))}
          </Facts>
        </Section>
      ) : null}
      {debts.length > 0 ? (
        <Section title={t.debts}>
          <List>
            {debts.map(({ id, company, amountCents, status, reference }) => (
              <List.Item key={id} className="breakable">
                {[
                  company,
                  amountCents === undefined ? undefined : amount(amountCents / CENTS, 'BRL'),
                  status && t.debtStatuses[status],
                  reference,
                ]
                  .filter((each) => each !== undefined)
                  .join(' · ')}
              </List.Item>
            ))}
          </List>
        </Section>
      ) : null}
    </>
  );
};

/** The parts of the page, by what the person may read. */
const useTabs = (contact: ContactRead): readonly Tab[] => {
  const t = useTexts(pageTexts).tabs;
  const may = useMay();
  const { id } = contact;
  const sales: readonly Tab[] = [
    { value: 'activities', label: t.activities, content: () => <Activities id={id} /> },
    { value: 'deals', label: t.deals, content: () => <Deals id={id} /> },
  ];
  return [
    { value: 'story', label: t.story, content: () => <Story id={id} /> },
    { value: 'consent', label: t.consent, content: () => <ConsentHistory contact={contact} /> },
    ...(may('crm:read') ? sales : []),
    ...(may('campaigns:read') ? [{ value: 'journeys', label: t.journeys, content: () => <Journeys id={id} /> }] : []),
    { value: 'lists', label: t.lists, content: () => <Memberships id={id} /> },
    { value: 'privacy', label: t.privacy, content: () => <Privacy contact={contact} /> },
  ];
};

const Whole = ({ contact }: { readonly contact: ContactRead }) => {
  const t = useTexts(pageTexts);
  return (
    <Stack gap="xl">
      <ContactFacts contact={contact} />
      <Attributes contact={contact} />
      <AddressTabs key={contact.id} label={t.parts} tabs={useTabs(contact)} />
    </Stack>
  );
};

const Actions = ({ contact }: { readonly contact: ContactRead }) => {
  const t = useTexts(texts);
  const page = useTexts(pageTexts);
  const may = useMay();
  const [dialog, setDialog] = useState<'edit' | 'merge'>();
  const close = () => setDialog(undefined);
  if (!may('contacts:write')) return null;
  return (
    <>
      <Button onClick={() => setDialog('edit')}>{t.edit}</Button>
      <Button variant="default" onClick={() => setDialog('merge')}>
        {page.merge.title}
      </Button>
      {dialog === 'edit' ? <EditContactDialog.Component contact={contact} onClose={close} /> : null}
      {dialog === 'merge' ? <MergeDialog.Component id={contact.id} onClose={close} /> : null}
    </>
  );
};

/** A contact that was merged into another: where it is now. */
const Merged = ({ into }: { readonly into: string }) => {
  const t = useTexts(pageTexts);
  return (
    <EmptyState icon={Merge} title={t.mergedTitle}>
      <AppLink to={`/contacts/${into}`}>{t.merged}</AppLink>
    </EmptyState>
  );
};

/** A person: what is known of them, the story across channels, and what can be done. */
export default function ContactPageView() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const contact = useQuery(contactQuery(id));
  // Fetched in parallel with the contact when the page opens on it.
  const [{ tab }] = useSearchValues();
  useStory(id, tab === undefined);
  const { data, error } = contact;
  const into = isProblem(error, 'NOT_FOUND') ? error.meta.mergedInto : undefined;
  return (
    <Page title={data ? contactName(data) : t.title} actions={data ? <Actions contact={data} /> : null}>
      {typeof into === 'string' ? (
        <Merged into={into} />
      ) : (
        <QueryView query={contact}>{(found) => <Whole contact={found} />}</QueryView>
      )}
    </Page>
  );
}
