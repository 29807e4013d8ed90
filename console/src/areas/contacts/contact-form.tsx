import { ActionIcon, Button, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import { type Contact, isProblem } from '../../sdk.ts';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { CompanyField } from '../../ui/company-field.tsx';
import { ChoiceField, choicesOf, TextField, useFieldError } from '../../ui/fields.tsx';
import { AppLink } from '../../ui/values.tsx';
import { type AttributeText, type ContactText, changeOf, creationOf, textsOf } from './contact-fields.ts';
import { texts } from './texts.ts';

interface FormProps {
  readonly form: ContactText;
  readonly onChange: (form: ContactText) => void;
}

const Attributes = ({ form, onChange }: FormProps) => {
  const t = useTexts(texts).fields;
  const error = useFieldError('attributes');
  const { attributes } = form;
  const set = (row: string, change: Partial<AttributeText>) =>
    onChange({ ...form, attributes: attributes.map((each) => (each.row === row ? { ...each, ...change } : each)) });
  const add = () => onChange({ ...form, attributes: [...attributes, { row: crypto.randomUUID(), key: '', text: '' }] });
  return (
    <Fieldset legend={t.attributes}>
      <Stack gap="xs">
        {attributes.map(({ row, key, text }) => (
          <Group key={row} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={t.attributeKey}
              placeholder={t.attributeKey}
              value={key}
              onChange={({ currentTarget }) => set(row, { key: currentTarget.value })}
            />
            <TextInput
              aria-label={t.attributeValue}
              placeholder={t.attributeValue}
              value={text}
              onChange={({ currentTarget }) => set(row, { text: currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.removeAttribute(key)}
              onClick={() => onChange({ ...form, attributes: attributes.filter((each) => each.row !== row) })}
            >
              <Trash2 size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Text size="sm" c="dimmed">
          {t.attributeHint}
        </Text>
        {error ? (
          <Text size="sm" c="var(--mantine-color-error)">
            {error}
          </Text>
        ) : null}
        <Button variant="default" size="xs" onClick={add} style={{ alignSelf: 'flex-start' }}>
          {t.addAttribute}
        </Button>
      </Stack>
    </Fieldset>
  );
};

const TextFields = ({ form, onChange }: FormProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const of = (name: 'phone' | 'name' | 'email' | 'externalId' | 'companyId' | 'cpf' | 'cnpj' | 'nascimento') => ({
    name,
    label: t.fields[name],
    value: form[name],
    onChange: (value: string) => onChange({ ...form, [name]: value }),
  });
  return (
    <>
      <TextField {...of('phone')} required type="tel" description={t.fields.phoneHint} />
      <TextField {...of('name')} />
      <TextField {...of('email')} type="email" />
      <TextField {...of('externalId')} />
      {may('crm:read') ? <CompanyField {...of('companyId')} /> : null}
      <ChoiceField
        name="papelNaEmpresa"
        label={t.fields.papelNaEmpresa}
        value={form.papelNaEmpresa}
        onChange={(papelNaEmpresa) => onChange({ ...form, papelNaEmpresa })}
        choices={[{ value: '', label: t.noRole }, ...choicesOf(t.companyRoles)]}
      />
      <TextField {...of('cpf')} description={t.fields.documentHint} />
      <TextField {...of('cnpj')} description={t.fields.documentHint} />
      <TextField {...of('nascimento')} type="date" description={t.fields.documentHint} />
    </>
  );
};

const Tags = ({ form, onChange }: FormProps) => {
  const t = useTexts(texts).fields;
  return (
    <TagsInput
      label={t.tags}
      description={t.tagsHint}
      error={useFieldError('tags')}
      value={[...form.tags]}
      onChange={(tags) => onChange({ ...form, tags })}
    />
  );
};

const Fields = (props: FormProps) => (
  <>
    <TextFields {...props} />
    <Tags {...props} />
    <Attributes {...props} />
  </>
);

/** Where a phone or an id is another contact's: the way to that one. */
const Existing = ({ error }: { readonly error: unknown }) => {
  const t = useTexts(texts);
  if (!isProblem(error, 'CONFLICT') || !error.meta.contactId) return null;
  return <AppLink to={`/contacts/${error.meta.contactId}`}>{t.existing}</AppLink>;
};
const advice = (error: unknown) => <Existing error={error} />;

/** Creates a contact, and goes to it. */
export const CreateContactDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const [form, setForm] = useState(() => textsOf());
  return (
    <ActionDialog
      title={t.create}
      act={() => api.contacts.create(creationOf(form))}
      invalidates={[['contacts']]}
      onClose={onClose}
      onDone={({ id }) => navigate({ to: `/contacts/${id}` })}
      advice={advice}
    >
      <Fields form={form} onChange={setForm} />
    </ActionDialog>
  );
};

interface EditProps {
  readonly contact: Contact;
  readonly onClose: () => void;
}

/** Changes a contact: what one leaves as it is stays as it is. */
export const EditContactDialog = ({ contact, onClose }: EditProps) => {
  const t = useTexts(texts);
  const [before] = useState(() => textsOf(contact));
  const [form, setForm] = useState(before);
  return (
    <ActionDialog
      title={t.edit}
      action={t.save}
      act={() => api.contacts.change(contact.id, changeOf(before, form))}
      invalidates={[['contact', contact.id], ['contacts']]}
      onClose={onClose}
      advice={advice}
    >
      <Fields form={form} onChange={setForm} />
    </ActionDialog>
  );
};
