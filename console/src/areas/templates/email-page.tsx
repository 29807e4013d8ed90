import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { EmailTemplate } from '../../sdk.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { HtmlPreview } from '../../ui/html-preview.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { Fact, Facts, Time } from '../../ui/values.tsx';
import { ContactFill, valuesOf } from './contact-fill.tsx';
import { RemoveButton } from './template-actions.tsx';
import { texts } from './texts.ts';

type Values = Readonly<Record<string, string>>;

interface ValuesFormProps {
  readonly template: EmailTemplate;
  readonly onRender: (values: Values) => void;
}

/** The values of the variables; those that are left empty take the template's examples. */
const ValuesForm = ({ template: { variables }, onRender }: ValuesFormProps) => {
  const t = useTexts(texts);
  const [values, setValues] = useState<Values>({});
  const names = variables.map(({ name }) => name);
  const given = (all: Values) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onRender(given(values));
  };
  return (
    <Stack gap="sm">
      {names.length > 0 ? (
        <Group component="form" align="flex-end" gap="sm" onSubmit={submit} aria-label={t.values}>
          {variables.map(({ name, example }) => (
            <TextInput
              key={name}
              label={t.variable(name)}
              placeholder={example ?? ''}
              value={values[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
            />
          ))}
          <Button type="submit" variant="default">
            {t.render}
          </Button>
        </Group>
      ) : null}
      <ContactFill
        onFill={(contact) => {
          const next = { ...values, ...valuesOf(contact, names) };
          setValues(next);
          onRender(given(next));
        }}
      />
    </Stack>
  );
};

/** The e-mail as a send would fill it, which the service does. */
const Rendered = ({ template }: { readonly template: EmailTemplate }) => {
  const t = useTexts(texts);
  const [values, setValues] = useState<Values>({});
  const rendered = useQuery({
    queryKey: ['email-template', template.id, template.version, 'rendered', values],
    queryFn: ({ signal }) => api.emailTemplates.render(template.id, { variables: { ...values } }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack component="section" aria-label={t.preview}>
      <Title order={2} size="h4">
        {t.preview}
      </Title>
      <ValuesForm template={template} onRender={setValues} />
      <ProblemView error={rendered.error} />
      {rendered.isPending && !rendered.error ? <Loading rows={8} /> : null}
      {rendered.data ? (
        <>
          <Text fw={650} className="breakable" data-subject>
            {rendered.data.subject}
          </Text>
          <HtmlPreview html={rendered.data.html} title={t.emailPreview} />
          <details>
            <summary>{t.plainText}</summary>
            {/* A region that scrolls takes the focus, so that the keyboard reaches all of it. */}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
            <pre className="code-block" tabIndex={0}>
              {rendered.data.text}
            </pre>
          </details>
        </>
      ) : null}
    </Stack>
  );
};

const EmailFacts = ({ template }: { readonly template: EmailTemplate }) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Facts>
      <Fact name={t.subject}>{template.subject}</Fact>
      <Fact name={t.format}>{template.format.toUpperCase()}</Fact>
      <Fact name={t.columns.version}>{format.number(template.version)}</Fact>
      <Fact name={t.columns.updatedAt}>
        <Time at={template.updatedAt} />
      </Fact>
      <Fact name={t.facts.id}>
        <CopyText text={template.id} label={t.facts.id} />
      </Fact>
    </Facts>
  );
};

/** An e-mail template, and how it arrives. */
export default function EmailTemplatePageView() {
  const t = useTexts(texts);
  const may = useMay();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const template = useQuery({
    queryKey: ['email-template', id],
    queryFn: ({ signal }) => api.emailTemplates.get(id, { signal }),
  });
  const actions =
    template.data && may('templates:write') ? (
      <>
        <Button variant="default" component={Link} to={`/templates/email/${id}/edit`}>
          {t.edit}
        </Button>
        <RemoveButton
          hint={t.emailRemoveHint}
          remove={() => api.emailTemplates.delete(id)}
          leadsTo="/templates/email"
          queryKey="email-templates"
        />
      </>
    ) : null;
  return (
    <Page title={template.data?.name ?? t.title} actions={actions}>
      <QueryView query={template}>
        {(data) => (
          <Stack gap="xl">
            <EmailFacts template={data} />
            <Rendered template={data} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
