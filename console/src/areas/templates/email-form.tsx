import { Button, Group, Stack, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useTexts } from '../../app/texts.ts';
import type { CreateEmailTemplate, EmailTemplate } from '../../sdk.ts';
import { ChoiceField, TextAreaField, TextField } from '../../ui/fields.tsx';
import { texts } from './texts.ts';

type Variable = NonNullable<CreateEmailTemplate['variables']>[number];

/** An e-mail template as it is edited. */
export interface EmailForm {
  readonly name: string;
  readonly subject: string;
  readonly format: 'html' | 'mjml';
  readonly source: string;
  readonly text: string;
  readonly variables: readonly Variable[];
}

export const NEW_EMAIL: EmailForm = { name: '', subject: '', format: 'html', source: '', text: '', variables: [] };
export const emailFormOf = ({ name, subject, format, source, text, variables }: EmailTemplate): EmailForm => ({
  name,
  subject,
  format,
  source,
  text: text ?? '',
  variables,
});

interface VariablesProps {
  readonly variables: readonly Variable[];
  readonly onChange: (variables: readonly Variable[]) => void;
}

const VariableFields = ({ variables, onChange }: VariablesProps) => {
  const t = useTexts(texts);
  const change = (at: number, part: Partial<Variable>) =>
    onChange(variables.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <Stack gap="xs" role="group" aria-label={t.variables}>
      {variables.map(({ name, example = '' }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its name changes while it is typed.
        <Group key={at} gap="xs" align="flex-end">
          <TextInput
            label={t.variableName}
            value={name}
            onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
          />
          <TextInput
            label={t.variableExample}
            value={example}
            onChange={({ currentTarget }) => change(at, { example: currentTarget.value })}
          />
          <Button variant="subtle" size="xs" onClick={() => onChange(variables.filter((_, index) => index !== at))}>
            {t.removeVariable(name)}
          </Button>
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => onChange([...variables, { name: '' }])}
        >
          {t.addVariable}
        </Button>
      </Group>
    </Stack>
  );
};

interface FieldsProps {
  readonly form: EmailForm;
  readonly onChange: (form: EmailForm) => void;
}

/** The fields of an e-mail template, as it is created and changed. */
export const EmailFields = ({ form, onChange }: FieldsProps) => {
  const t = useTexts(texts);
  const change = (part: Partial<EmailForm>) => onChange({ ...form, ...part });
  return (
    <Stack maw="48rem">
      <TextField name="name" required label={t.name} value={form.name} onChange={(name) => change({ name })} />
      <TextField
        name="subject"
        required
        label={t.subject}
        value={form.subject}
        onChange={(subject) => change({ subject })}
      />
      <ChoiceField<EmailForm['format']>
        name="format"
        label={t.format}
        value={form.format}
        choices={[
          { value: 'html', label: 'HTML' },
          { value: 'mjml', label: 'MJML' },
        ]}
        onChange={(format) => change({ format })}
      />
      <TextAreaField
        name="source"
        required
        minRows={10}
        maxRows={30}
        label={t.source}
        value={form.source}
        onChange={(source) => change({ source })}
      />
      <TextAreaField
        name="text"
        label={t.text}
        description={t.textHint}
        value={form.text}
        onChange={(text) => change({ text })}
      />
      <VariableFields variables={form.variables} onChange={(variables) => change({ variables })} />
    </Stack>
  );
};
