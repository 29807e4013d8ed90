import { Stack, Text, Title } from '@mantine/core';
import { memo } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import { type Graph, outcomesOf, type Step, targetOf } from './graph.ts';
import { useStepWords } from './step-words.ts';
import { texts } from './texts.ts';

interface OutlineProps {
  readonly graph: Graph;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
  readonly faultsOf: (key: string) => number;
}

interface EntryProps {
  /** Its key. */
  readonly id: string;
  readonly name: string;
  /** Where it leads to, one outcome a line. */
  readonly leads: string;
  readonly faults: number;
  readonly isSelected: boolean;
  readonly onSelect: (key: string) => void;
}

/** A step. Memoized: a keystroke in one step does not render the others again. */
const Entry = memo(({ id, name, leads, faults, isSelected, onSelect }: EntryProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <li data-outline={id}>
      <button type="button" aria-current={isSelected ? 'step' : undefined} onClick={() => onSelect(id)}>
        <Text size="sm" fw={600} className="breakable">
          {name}
        </Text>
        <Text size="xs" className="breakable">
          {id}
        </Text>
        {(leads === '' ? [] : leads.split('\n')).map((lead, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two branches may be called the same while they are named.
          <Text key={at} size="xs" c="dimmed" className="breakable">
            {lead}
          </Text>
        ))}
        {faults > 0 ? (
          <Text size="xs" fw={600} c="var(--mantine-color-error)">
            {t.problems(format.number(faults))}
          </Text>
        ) : null}
      </button>
    </li>
  );
});

/** Where a step leads to, in words. */
const useLeads = (graph: Graph) => {
  const t = useTexts(texts);
  const words = useStepWords();
  const names = new Map(graph.passos.map((step) => [step.chave, words.nameOf(step)]));
  return (step: Step): string =>
    outcomesOf(step)
      .map((outcome) => {
        const name = names.get(targetOf(graph, step.chave, outcome) ?? '') ?? t.ends;
        return t.leads(words.outcomeOf(outcome), name);
      })
      .join('\n');
};

/** The journey as a list of its steps, with where each leads: all that the drawing says, in words. */
export const Outline = ({ graph, selected, onSelect, faultsOf }: OutlineProps) => {
  const t = useTexts(texts);
  const words = useStepWords();
  const leadsOf = useLeads(graph);
  return (
    <Stack gap="xs" component="section" aria-label={t.steps}>
      <Title order={2} size="h4">
        {t.steps}
      </Title>
      <Text size="sm" c="dimmed">
        {t.stepsHint}
      </Text>
      <ol className="journey-outline">
        {graph.passos.map((step) => (
          <Entry
            key={step.chave}
            id={step.chave}
            name={words.nameOf(step)}
            leads={leadsOf(step)}
            faults={faultsOf(step.chave)}
            isSelected={step.chave === selected}
            onSelect={onSelect}
          />
        ))}
      </ol>
    </Stack>
  );
};
