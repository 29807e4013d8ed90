import { Stack, Text, Title } from '@mantine/core';
import { memo } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import { type Graph, outcomeId, outcomesOf, type Step } from './graph.ts';
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
  /** How many faults the service found in it, in words. */
  readonly problems: string | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (key: string) => void;
}

/** A step. Memoized, so that a keystroke in one step does not render the others again; plain elements, since a journey may have hundreds. */
const Entry = memo(({ id, name, leads, problems, isSelected, onSelect }: EntryProps) => (
  <li data-outline={id}>
    <button type="button" aria-current={isSelected ? 'step' : undefined} onClick={() => onSelect(id)}>
      <span className="journey-outline-name">{name}</span>
      <span>{id}</span>
      {leads === '' ? null : <span className="journey-outline-leads">{leads}</span>}
      {problems === undefined ? null : <span className="journey-outline-problems">{problems}</span>}
    </button>
  </li>
));

/** Where a step leads to, in words. */
const useLeads = ({ passos, ligacoes }: Graph) => {
  const t = useTexts(texts);
  const words = useStepWords();
  const names = new Map(passos.map((step) => [step.chave, words.nameOf(step)]));
  const targets = new Map(ligacoes.map((link) => [`${link.de} ${outcomeId(link)}`, link.para]));
  return (step: Step): string =>
    outcomesOf(step)
      .map((outcome) => {
        const name = names.get(targets.get(`${step.chave} ${outcomeId(outcome)}`) ?? '') ?? t.ends;
        return t.leads(words.outcomeOf(outcome), name);
      })
      .join('\n');
};

/** The journey as a list of its steps, with where each leads: all that the drawing says, in words. */
export const Outline = memo(({ graph, selected, onSelect, faultsOf }: OutlineProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const words = useStepWords();
  const leadsOf = useLeads(graph);
  const problemsOf = (key: string): string | undefined => {
    const faults = faultsOf(key);
    return faults > 0 ? t.problems(format.number(faults)) : undefined;
  };
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
            problems={problemsOf(step.chave)}
            isSelected={step.chave === selected}
            onSelect={onSelect}
          />
        ))}
      </ol>
    </Stack>
  );
});
