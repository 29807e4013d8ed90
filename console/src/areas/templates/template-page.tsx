import { Alert, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Contact, Template } from '../../sdk.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { Fact, Facts, Time } from '../../ui/values.tsx';
import { examplesIn, textIn, variablesIn } from './components.ts';
import { ContactFill, valuesOf } from './contact-fill.tsx';
import { DEVICES, type Device, DeviceView } from './devices.tsx';
import { SendPlanView } from './send-plan.tsx';
import { TemplateActions } from './template-actions.tsx';
import { TemplateStatus } from './template-status.tsx';
import { texts } from './texts.ts';

const REFRESH_MS = 10_000;

const TemplateFacts = ({ template }: { readonly template: Template }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Facts>
      <Fact name={t.columns.status}>
        <TemplateStatus status={template.status} />
      </Fact>
      <Fact name={t.columns.category}>{t.categories[template.category]}</Fact>
      <Fact name={t.columns.language}>{template.language}</Fact>
      <Fact name={t.columns.version}>{format.number(template.version)}</Fact>
      <Fact name={t.columns.updatedAt}>
        <Time at={template.updatedAt} />
      </Fact>
      {template.platformTemplateId ? <Fact name={t.facts.platform}>{template.platformTemplateId}</Fact> : null}
      <Fact name={t.facts.number}>
        <CopyText text={template.numberId} label={t.facts.number} />
      </Fact>
      <Fact name={t.facts.id}>
        <CopyText text={template.id} label={t.facts.id} />
      </Fact>
    </Facts>
  );
};

/** The template on a device, filled with its examples, with what one types, or with a contact. */
const Devices = ({ template }: { readonly template: Template }) => {
  const t = useTexts(texts);
  const may = useMay();
  const { components } = template;
  const [device, setDevice] = useState<Device>('whatsapp');
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => examplesIn(components));
  const [contact, setContact] = useState<Contact>();
  const variables = variablesIn(`${textIn(components, 'HEADER')} ${textIn(components, 'BODY')}`);
  const fillWith = (found: Contact) => {
    setContact(found);
    setValues((before) => ({ ...before, ...valuesOf(found, variables) }));
  };
  return (
    <Stack component="section" aria-label={t.preview}>
      <Title order={2} size="h4">
        {t.preview}
      </Title>
      <SegmentedControl
        aria-label={t.channel}
        value={device}
        data={DEVICES.map((value) => ({ value, label: t.channels[value] }))}
        onChange={(value) => setDevice(value as Device)}
        maw="32rem"
      />
      <DeviceView device={device} components={components} values={values} />
      {variables.map((name) => (
        <TextInput
          key={name}
          maw="24rem"
          label={t.variable(name)}
          value={values[name] ?? ''}
          onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
        />
      ))}
      <ContactFill onFill={fillWith} />
      {contact && may('messages:send') && device !== 'push' && device !== 'instagram' ? (
        <SendPlanView template={template} contact={contact} device={device} values={values} />
      ) : null}
    </Stack>
  );
};

/** A WhatsApp template: how it stands, and how it arrives. */
export default function TemplatePageView() {
  const t = useTexts(texts);
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const template = useQuery({
    queryKey: ['template', id],
    queryFn: ({ signal }) => api.templates.get(id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={template.data?.name ?? t.title}
      actions={template.data ? <TemplateActions template={template.data} /> : null}
    >
      <QueryView query={template}>
        {(data) => (
          <Stack gap="xl">
            {data.rejectionReason ? (
              <Alert color="red" variant="outline" title={t.rejected} role="status">
                {data.rejectionReason}
              </Alert>
            ) : null}
            <TemplateFacts template={data} />
            <Devices key={data.version} template={data} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
