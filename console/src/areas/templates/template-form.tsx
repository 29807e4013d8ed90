import { Group, NativeSelect, Paper, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useTexts } from '../../app/texts.ts';
import type { CreateTemplate, NumberPage } from '../../sdk.ts';
import { ChoiceField, choicesOf, TextField } from '../../ui/fields.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { ButtonFields } from './button-fields.tsx';
import { type Components, examplesIn, textIn, variablesIn, withExample, withText } from './components.ts';
import { DeviceView } from './devices.tsx';
import { LANGUAGES } from './template-status.tsx';
import { texts } from './texts.ts';

/** A template as it is edited. */
export interface TemplateForm extends Omit<CreateTemplate, 'components'> {
  readonly components: Components;
}

interface PartProps {
  readonly components: Components;
  readonly onChange: (components: Components) => void;
}

const TextFields = ({ components, onChange }: PartProps) => {
  const t = useTexts(texts);
  const examples = examplesIn(components);
  const variables = variablesIn(`${textIn(components, 'HEADER')} ${textIn(components, 'BODY')}`);
  return (
    <>
      <TextInput
        label={t.header}
        value={textIn(components, 'HEADER')}
        onChange={({ currentTarget }) => onChange(withText(components, 'HEADER', currentTarget.value))}
      />
      <Textarea
        autosize
        minRows={4}
        label={t.body}
        description={t.bodyHint}
        value={textIn(components, 'BODY')}
        onChange={({ currentTarget }) => onChange(withText(components, 'BODY', currentTarget.value))}
      />
      {variables.map((name) => (
        <TextInput
          key={name}
          label={t.example(name)}
          value={examples[name] ?? ''}
          onChange={({ currentTarget }) => onChange(withExample(components, name, currentTarget.value))}
        />
      ))}
      <TextInput
        label={t.footer}
        value={textIn(components, 'FOOTER')}
        onChange={({ currentTarget }) => onChange(withText(components, 'FOOTER', currentTarget.value))}
      />
    </>
  );
};

/** Opens the section around a field that keeps its form from being submitted, so that the browser can show why. */
const showField = (field: HTMLElement): void => {
  const section = field.closest('details');
  if (section) section.open = true;
};

/** All of the components, for those that have no fields here. While the text is not JSON, the form cannot be submitted. */
const JsonField = ({ components, onChange }: PartProps) => {
  const t = useTexts(texts);
  const [typed, setTyped] = useState<string>();
  const [isRead, setIsRead] = useState(true);
  const set = (text: string) => {
    setTyped(text);
    try {
      const value: unknown = JSON.parse(text);
      setIsRead(Array.isArray(value));
      if (Array.isArray(value)) onChange(value as Components);
    } catch {
      setIsRead(false);
    }
  };
  return (
    <details>
      <summary>{t.asJson}</summary>
      <Textarea
        autosize
        minRows={6}
        maxRows={24}
        mt="sm"
        ref={(field) => field?.setCustomValidity(isRead ? '' : t.notJson)}
        onInvalid={({ currentTarget }) => showField(currentTarget)}
        label={t.components}
        error={isRead ? undefined : t.notJson}
        value={typed ?? JSON.stringify(components, undefined, 2)}
        onChange={({ currentTarget }) => set(currentTarget.value)}
        onBlur={() => isRead && setTyped(undefined)}
      />
    </details>
  );
};

const NumberField = ({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) => {
  const t = useTexts(texts);
  const numbers = useQuery<NumberPage>({
    queryKey: ['template-numbers'],
    queryFn: async ({ signal }) => api.numbers.list({ limit: 200 }, { signal }),
  });
  const choices = (numbers.data?.items ?? []).map(({ id, displayPhone }) => ({
    value: id,
    label: displayPhone,
  }));
  return (
    <>
      <ProblemView error={numbers.error} />
      <NativeSelect
        required
        label={t.number}
        value={value}
        data={[{ value: '', label: t.choose }, ...choices]}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </>
  );
};

interface FieldsProps {
  readonly form: TemplateForm;
  /** A template belongs to the number that it was made for. */
  readonly isNew: boolean;
  readonly onChange: (form: TemplateForm) => void;
}

/** The fields of a WhatsApp template, as it is created and changed, with how it arrives. */
export const TemplateFields = ({ form, isNew, onChange }: FieldsProps) => {
  const t = useTexts(texts);
  const change = (part: Partial<TemplateForm>) => onChange({ ...form, ...part });
  const setComponents = (components: Components) => change({ components });
  return (
    <Group align="flex-start" gap="xl">
      <Stack flex="1 1 24rem" maw="40rem">
        {isNew ? <NumberField value={form.numberId} onChange={(numberId) => change({ numberId })} /> : null}
        <TextField
          name="name"
          required
          label={t.name}
          description={t.nameHint}
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <Group gap="sm">
          <ChoiceField<TemplateForm['category']>
            name="category"
            label={t.columns.category}
            value={form.category}
            choices={choicesOf(t.categories)}
            onChange={(category) => change({ category })}
          />
          <ChoiceField<TemplateForm['language']>
            name="language"
            label={t.columns.language}
            value={form.language}
            choices={LANGUAGES.map((value) => ({ value, label: value }))}
            onChange={(language) => change({ language })}
          />
        </Group>
        <TextFields components={form.components} onChange={setComponents} />
        <ButtonFields components={form.components} onChange={setComponents} />
        <JsonField components={form.components} onChange={setComponents} />
      </Stack>
      <Paper p={0} flex="0 1 24rem">
        <Title order={2} size="h4" mb="sm">
          {t.preview}
        </Title>
        <DeviceView device="whatsapp" components={form.components} values={examplesIn(form.components)} />
      </Paper>
    </Group>
  );
};
