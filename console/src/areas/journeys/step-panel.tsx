import { Button, Group, List, NativeSelect, Paper, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { memo, useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import { AddStepMenu } from './add-step-menu.tsx';
import { type Graph, type Outcome, outcomeId, outcomesOf, type Step, targetOf } from './graph.ts';
import type { Fault } from './places.ts';
import { StepField } from './step-field.tsx';
import { fieldsOf, inMode, STEP_SCHEMAS } from './step-schema.ts';
import { stepTexts } from './step-texts.ts';
import { useStepWords } from './step-words.ts';
import { texts } from './texts.ts';
import type { JourneyDraft } from './use-draft.ts';
import { useKept } from './use-kept.ts';

interface PanelProps {
  readonly graph: Graph;
  readonly step: Step;
  readonly faults: readonly Fault[];
  readonly actions: Pick<JourneyDraft['actions'], 'change' | 'connect' | 'add' | 'remove' | 'first'>;
}

interface FieldsProps {
  readonly step: Step;
  readonly faults: readonly Fault[];
  readonly onChange: (step: Step) => void;
}

/** Which of the ways to write a step it is written in. */
const ModeField = ({ step, onChange }: Pick<FieldsProps, 'step' | 'onChange'>) => {
  const t = useTexts(stepTexts);
  const { modes } = STEP_SCHEMAS[step.tipo];
  if (!modes) return null;
  const mode = modes.find((each) => each.is(step.config));
  return (
    <SegmentedControl
      aria-label={t.way}
      fullWidth
      value={mode?.name ?? ''}
      data={modes.map(({ name }) => ({ value: name, label: t.modes[name] }))}
      onChange={(name) => onChange({ ...step, config: inMode(step.tipo, step.config, name) })}
    />
  );
};

const errorOf = (faults: readonly Fault[], path: string): string | undefined =>
  faults.find(({ field }) => path !== '' && (field === `config.${path}` || field.startsWith(`config.${path}.`)))
    ?.message;

/** The key is taken when the field is left: half a name would rename the links at each letter. */
const KeyField = ({ step, faults, onChange }: FieldsProps) => {
  const t = useTexts(texts);
  const [key, setKey] = useState(step.chave);
  return (
    <TextInput
      label={t.key}
      error={faults.find(({ field }) => field === 'chave')?.message}
      value={key}
      onChange={({ currentTarget }) => setKey(currentTarget.value)}
      onBlur={() => (key === '' ? setKey(step.chave) : onChange({ ...step, chave: key }))}
    />
  );
};

interface NextStepsProps {
  readonly chave: string;
  readonly outcomes: readonly Outcome[];
  /** The targets of the outcomes, in their order; empty where a run ends. */
  readonly targets: readonly string[];
  /** Of all steps: each target with its name. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly actions: Pick<PanelProps['actions'], 'connect' | 'add'>;
}

/** Where each outcome leads: what dragging a link does in the drawing. Memoized: a journey has as many choices as steps. */
const NextSteps = memo(({ chave, outcomes, targets, choices, actions }: NextStepsProps) => {
  const t = useTexts(texts);
  const words = useStepWords();
  if (outcomes.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t.next}>
      <Title order={3} size="h5">
        {t.next}
      </Title>
      {outcomes.map((outcome, at) => (
        <Group key={outcomeId(outcome)} align="flex-end" gap="xs">
          <NativeSelect
            flex={1}
            label={words.outcomeOf(outcome)}
            value={targets[at] ?? ''}
            data={[{ value: '', label: t.ends }, ...choices]}
            onChange={({ currentTarget }) => actions.connect(chave, outcome, currentTarget.value || undefined)}
          />
          <AddStepMenu label={t.addHere} onAdd={(kind) => actions.add(kind, { key: chave, outcome })} />
        </Group>
      ))}
    </Stack>
  );
});

/** The values of `NextSteps` for a step, the same objects until they change. */
const useNextSteps = (graph: Graph, step: Step) => {
  const words = useStepWords();
  const outcomes = outcomesOf(step);
  return useKept({
    chave: step.chave,
    outcomes,
    targets: outcomes.map((outcome) => targetOf(graph, step.chave, outcome) ?? ''),
    choices: graph.passos.map((each) => ({ value: each.chave, label: `${words.nameOf(each)} (${each.chave})` })),
  });
};

/** The settings of a step, field by field, with the faults that the service found. */
export default function StepPanel({ graph, step, faults, actions }: PanelProps) {
  const { chave } = step;
  const next = useNextSteps(graph, step);
  const onChange = (changed: Step) => actions.change(chave, changed);
  const t = useTexts(texts);
  const words = useStepWords();
  const isFirst = graph.passos[0]?.chave === step.chave;
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={`${t.step}: ${words.nameOf(step)}`}
      data-panel={step.chave}
    >
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.kindOf(step)}
        </Title>
        {faults.length > 0 ? (
          <List size="sm" c="var(--mantine-color-error)">
            {faults.map(({ field, message }) => (
              <List.Item key={`${field} ${message}`}>
                {field}: {message}
              </List.Item>
            ))}
          </List>
        ) : null}
        <TextInput
          label={t.label}
          value={step.rotulo ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const { rotulo: _, ...rest } = step;
            onChange(value === '' ? rest : { ...rest, rotulo: value });
          }}
        />
        <KeyField step={step} faults={faults} onChange={onChange} />
        <ModeField step={step} onChange={onChange} />
        {fieldsOf(step.tipo, step.config).map((field) => (
          <StepField
            key={`${step.chave} ${field.path}`}
            field={field}
            config={step.config}
            steps={graph.passos}
            error={errorOf(faults, field.path)}
            onChange={(config) => onChange({ ...step, config })}
          />
        ))}
        <NextSteps {...next} actions={actions} />
        <Group gap="xs">
          {isFirst ? null : (
            <Button variant="default" size="xs" onClick={() => actions.first(chave)}>
              {t.makeFirst}
            </Button>
          )}
          {graph.passos.length > 1 ? (
            <Button
              variant="default"
              size="xs"
              leftSection={<Trash2 size={14} aria-hidden />}
              onClick={() => actions.remove(chave)}
            >
              {t.removeStep}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Paper>
  );
}
