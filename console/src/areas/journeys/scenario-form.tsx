import { Button, Group, NativeSelect, Paper, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import type { Journey } from '../../sdk.ts';
import { runTexts } from './run-texts.ts';
import type { Scenario } from './simulation.ts';

const EMPTY: Scenario = {
  isMade: true,
  contactId: '',
  name: 'Ana',
  phone: '+5511999990005',
  email: '',
  tags: '',
  attributes: '',
  variables: '',
  events: '',
  begin: '',
  outcomes: {},
};

interface PartProps {
  readonly scenario: Scenario;
  readonly onChange: (change: Partial<Scenario>) => void;
}

const Person = ({ scenario, onChange }: PartProps) => {
  const t = useTexts(runTexts);
  if (!scenario.isMade)
    return (
      <TextInput
        required
        label={t.contactId}
        placeholder="cnt_…"
        value={scenario.contactId}
        onChange={({ currentTarget }) => onChange({ contactId: currentTarget.value.trim() })}
      />
    );
  return (
    <>
      {(['name', 'phone', 'email', 'tags'] as const).map((field) => (
        <TextInput
          key={field}
          label={t[field]}
          value={scenario[field]}
          onChange={({ currentTarget }) => onChange({ [field]: currentTarget.value })}
        />
      ))}
      <Textarea
        autosize
        label={t.attributes}
        value={scenario.attributes}
        onChange={({ currentTarget }) => onChange({ attributes: currentTarget.value })}
      />
    </>
  );
};

/** The result of the message of each step that sends. */
const Outcomes = ({ scenario, onChange, journey }: PartProps & { readonly journey: Journey }) => {
  const t = useTexts(runTexts);
  const sending = journey.passos.filter(({ tipo }) => tipo === 'enviar');
  if (sending.length === 0) return null;
  const choices = Object.entries(t.outcomeNames).map(([value, label]) => ({ value, label }));
  return (
    <Stack gap="xs" component="section" aria-label={t.outcomes}>
      <Text size="sm" fw={600}>
        {t.outcomes}
      </Text>
      {sending.map(({ chave, rotulo }) => (
        <NativeSelect
          key={chave}
          label={rotulo ?? chave}
          value={scenario.outcomes[chave] ?? ''}
          data={[{ value: '', label: t.nothing }, ...choices]}
          onChange={({ currentTarget }) =>
            onChange({ outcomes: { ...scenario.outcomes, [chave]: currentTarget.value } })
          }
        />
      ))}
    </Stack>
  );
};

interface FormProps {
  readonly journey: Journey;
  readonly busy: boolean;
  readonly onPlay: (scenario: Scenario) => void;
}

/** Who goes through the journey, and what happens meanwhile. */
export const ScenarioForm = ({ journey, busy, onPlay }: FormProps) => {
  const t = useTexts(runTexts);
  const [scenario, setScenario] = useState(EMPTY);
  const change = (part: Partial<Scenario>) => setScenario((before) => ({ ...before, ...part }));
  return (
    <Paper withBorder p="md">
      <Stack
        component="form"
        gap="sm"
        onSubmit={(event) => {
          event.preventDefault();
          onPlay(scenario);
        }}
      >
        <SegmentedControl
          aria-label={t.who}
          value={scenario.isMade ? 'made' : 'existing'}
          data={[
            { value: 'made', label: t.made },
            { value: 'existing', label: t.existing },
          ]}
          onChange={(value) => change({ isMade: value === 'made' })}
        />
        <Person scenario={scenario} onChange={change} />
        <TextInput
          type="datetime-local"
          label={t.begin}
          value={scenario.begin}
          onChange={({ currentTarget }) => change({ begin: currentTarget.value })}
        />
        <Textarea
          autosize
          label={t.events}
          description={t.eventsHint}
          value={scenario.events}
          onChange={({ currentTarget }) => change({ events: currentTarget.value })}
        />
        <Textarea
          autosize
          label={t.variables}
          value={scenario.variables}
          onChange={({ currentTarget }) => change({ variables: currentTarget.value })}
        />
        <Outcomes journey={journey} scenario={scenario} onChange={change} />
        <Group>
          <Button type="submit" loading={busy}>
            {t.play}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
};
