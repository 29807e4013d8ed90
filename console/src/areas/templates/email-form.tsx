import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import type { CreateEmailTemplate, EmailTemplate } from '../../sdk.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
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

interface FormProps {
  readonly initial: EmailForm;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (form: EmailForm) => void;
}

/** An e-mail template, as it is created and changed. */
export const EmailFields = ({ initial, action, busy, error, onSubmit }: FormProps) => {
  const t = useTexts(texts);
  const [form, setForm] = useState(initial);
  const change = (part: Partial<EmailForm>) => setForm((before) => ({ ...before, ...part }));
  return (
    <Stack
      component="form"
      maw="48rem"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(form);
      }}
    >
      <TextInput
        required
        label={t.name}
        value={form.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <TextInput
        required
        label={t.subject}
        value={form.subject}
        onChange={({ currentTarget }) => change({ subject: currentTarget.value })}
      />
      <NativeSelect
        label={t.format}
        value={form.format}
        data={[
          { value: 'html', label: 'HTML' },
          { value: 'mjml', label: 'MJML' },
        ]}
        onChange={({ currentTarget }) => change({ format: currentTarget.value as EmailForm['format'] })}
      />
      <Textarea
        required
        autosize
        minRows={10}
        maxRows={30}
        label={t.source}
        value={form.source}
        onChange={({ currentTarget }) => change({ source: currentTarget.value })}
      />
      <Textarea
        autosize
        minRows={3}
        label={t.text}
        description={t.textHint}
        value={form.text}
        onChange={({ currentTarget }) => change({ text: currentTarget.value })}
      />
      <VariableFields variables={form.variables} onChange={(variables) => change({ variables })} />
      <ProblemView error={error} />
      <Group>
        <Button type="submit" loading={busy}>
          {action}
        </Button>
      </Group>
    </Stack>
  );
};
