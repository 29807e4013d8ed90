import { Button, Group, List, NativeSelect, Paper, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import { AddStepMenu } from './add-step-menu.tsx';
import { type Graph, type Outcome, outcomeId, outcomesOf, type Step, type StepKind, targetOf } from './graph.ts';
import type { Fault } from './places.ts';
import { StepField } from './step-field.tsx';
import { fieldsOf, inMode, STEP_SCHEMAS } from './step-schema.ts';
import { stepTexts } from './step-texts.ts';
import { useStepWords } from './step-words.ts';
import { texts } from './texts.ts';

interface PanelProps {
  readonly graph: Graph;
  readonly step: Step;
  readonly faults: readonly Fault[];
  readonly onChange: (step: Step) => void;
  readonly onConnect: (outcome: Outcome, target: string | undefined) => void;
  readonly onAdd: (kind: StepKind, outcome: Outcome) => void;
  readonly onRemove: () => void;
  readonly onFirst: () => void;
}

/** Which of the ways to write a step it is written in. */
const ModeField = ({ step, onChange }: Pick<PanelProps, 'step' | 'onChange'>) => {
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
const KeyField = ({ step, faults, onChange }: Pick<PanelProps, 'step' | 'faults' | 'onChange'>) => {
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

/** Where each outcome leads: what dragging a link does in the drawing. */
const NextSteps = ({ graph, step, onConnect, onAdd }: Pick<PanelProps, 'graph' | 'step' | 'onConnect' | 'onAdd'>) => {
  const t = useTexts(texts);
  const words = useStepWords();
  const outcomes = outcomesOf(step);
  if (outcomes.length === 0) return null;
  const targets = graph.passos.map((each) => ({ value: each.chave, label: `${words.nameOf(each)} (${each.chave})` }));
  return (
    <Stack gap="xs" component="section" aria-label={t.next}>
      <Title order={3} size="h5">
        {t.next}
      </Title>
      {outcomes.map((outcome) => (
        <Group key={outcomeId(outcome)} align="flex-end" gap="xs">
          <NativeSelect
            flex={1}
            label={words.outcomeOf(outcome)}
            value={targetOf(graph, step.chave, outcome) ?? ''}
            data={[{ value: '', label: t.ends }, ...targets]}
            onChange={({ currentTarget }) => onConnect(outcome, currentTarget.value || undefined)}
          />
          <AddStepMenu label={t.addHere} onAdd={(kind) => onAdd(kind, outcome)} />
        </Group>
      ))}
    </Stack>
  );
};

/** The settings of a step, field by field, with the faults that the service found. */
export default function StepPanel(props: PanelProps) {
  const { graph, step, faults, onChange, onRemove, onFirst } = props;
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
        <NextSteps {...props} />
        <Group gap="xs">
          {isFirst ? null : (
            <Button variant="default" size="xs" onClick={onFirst}>
              {t.makeFirst}
            </Button>
          )}
          {graph.passos.length > 1 ? (
            <Button variant="default" size="xs" leftSection={<Trash2 size={14} aria-hidden />} onClick={onRemove}>
              {t.removeStep}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Paper>
  );
}
