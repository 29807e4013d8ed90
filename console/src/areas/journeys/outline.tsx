import { Stack, Text, Title } from '@mantine/core';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import { type Graph, outcomeId, outcomesOf, type Step, targetOf } from './graph.ts';
import { useStepWords } from './step-words.ts';
import { texts } from './texts.ts';

interface OutlineProps {
  readonly graph: Graph;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
  readonly faultsOf: (key: string) => number;
}

const Leads = ({ graph, step }: { readonly graph: Graph; readonly step: Step }) => {
  const t = useTexts(texts);
  const words = useStepWords();
  const named = (key: string | undefined): string => {
    const target = graph.passos.find(({ chave }) => chave === key);
    return target ? words.nameOf(target) : t.ends;
  };
  return outcomesOf(step).map((outcome) => (
    <Text key={outcomeId(outcome)} size="xs" c="dimmed" className="breakable">
      {t.leads(words.outcomeOf(outcome), named(targetOf(graph, step.chave, outcome)))}
    </Text>
  ));
};

/** The journey as a list of its steps, with where each leads: all that the drawing says, in words. */
export const Outline = ({ graph, selected, onSelect, faultsOf }: OutlineProps) => {
  const t = useTexts(texts);
  const words = useStepWords();
  const format = useFormat();
  return (
    <Stack gap="xs" component="section" aria-label={t.steps}>
      <Title order={2} size="h4">
        {t.steps}
      </Title>
      <Text size="sm" c="dimmed">
        {t.stepsHint}
      </Text>
      <ol className="journey-outline">
        {graph.passos.map((step) => {
          const faults = faultsOf(step.chave);
          return (
            <li key={step.chave} data-outline={step.chave}>
              <button
                type="button"
                aria-current={step.chave === selected ? 'step' : undefined}
                onClick={() => onSelect(step.chave)}
              >
                <Text size="sm" fw={600} className="breakable">
                  {words.nameOf(step)}
                </Text>
                <Text size="xs" className="breakable">
                  {step.chave}
                </Text>
                <Leads graph={graph} step={step} />
                {faults > 0 ? (
                  <Text size="xs" fw={600} c="var(--mantine-color-error)">
                    {t.problems(format.number(faults))}
                  </Text>
                ) : null}
              </button>
            </li>
          );
        })}
      </ol>
    </Stack>
  );
};
