import { useState } from 'react';
import type { Journey } from '../../sdk.ts';
import {
  addStep,
  changeStep,
  connect,
  type Draft,
  draftOf,
  type Graph,
  makeFirst,
  type Outcome,
  removeStep,
  type Step,
  type StepKind,
} from './graph.ts';

/** A journey as it is edited, and which step is chosen. */
export const useDraft = (journey: Journey) => {
  const [edited, setEdited] = useState<Draft>();
  const [selected, setSelected] = useState<string>();
  const draft = edited ?? draftOf(journey);
  const apply = (graph: Graph) => setEdited({ ...draft, ...graph });
  return {
    draft,
    isChanged: edited !== undefined,
    selected,
    setSelected,
    setDraft: setEdited,
    discard: () => setEdited(undefined),
    connect: (key: string, outcome: Outcome, target: string | undefined) => apply(connect(draft, key, outcome, target)),
    remove: (key: string) => {
      // A journey has at least one step.
      if (draft.passos.length === 1) return;
      apply(removeStep(draft, key));
      setSelected(undefined);
    },
    change: (key: string, step: Step) => {
      apply(changeStep(draft, key, step));
      setSelected(step.chave);
    },
    first: (key: string) => apply(makeFirst(draft, key)),
    add: (kind: StepKind, after?: { readonly key: string; readonly outcome: Outcome }) => {
      const { graph, key } = addStep(draft, kind, after);
      apply(graph);
      setSelected(key);
    },
  };
};

export type JourneyDraft = ReturnType<typeof useDraft>;
