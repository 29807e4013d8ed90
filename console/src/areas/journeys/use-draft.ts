import { useMemo, useState } from 'react';
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

interface Edit {
  /** Absent while nothing is changed. */
  readonly draft?: Draft | undefined;
  readonly selected?: string | undefined;
}

/** Changes to a journey. Each stays the same function: a component that is given them renders again only for what it shows. */
const actionsOf = (saved: Draft, setEdit: (change: (edit: Edit) => Edit) => void) => {
  const change = (next: (draft: Draft, edit: Edit) => Partial<Edit> & { readonly graph?: Graph }) =>
    setEdit((edit) => {
      const draft = edit.draft ?? saved;
      const { graph, ...rest } = next(draft, edit);
      return { ...edit, ...(graph ? { draft: { ...draft, ...graph } } : {}), ...rest };
    });
  return {
    setSelected: (selected: string) => change(() => ({ selected })),
    setDraft: (draft: Draft) => change(() => ({ draft })),
    discard: () => change(() => ({ draft: undefined })),
    connect: (key: string, outcome: Outcome, target: string | undefined) =>
      change((draft) => ({ graph: connect(draft, key, outcome, target) })),
    remove: (key: string) =>
      // A journey has at least one step.
      change((draft) => (draft.passos.length === 1 ? {} : { graph: removeStep(draft, key), selected: undefined })),
    change: (key: string, step: Step) =>
      change((draft) => ({ graph: changeStep(draft, key, step), selected: step.chave })),
    first: (key: string) => change((draft) => ({ graph: makeFirst(draft, key) })),
    add: (kind: StepKind, after?: { readonly key: string; readonly outcome: Outcome }) =>
      change((draft) => {
        const { graph, key } = addStep(draft, kind, after);
        return { graph, selected: key };
      }),
  };
};

/** A journey as it is edited, and which step is chosen. */
export const useDraft = (journey: Journey) => {
  const [edit, setEdit] = useState<Edit>({});
  const saved = useMemo(() => draftOf(journey), [journey]);
  const actions = useMemo(() => actionsOf(saved, setEdit), [saved]);
  return { draft: edit.draft ?? saved, isChanged: edit.draft !== undefined, selected: edit.selected, actions };
};

export type JourneyDraft = ReturnType<typeof useDraft>;
