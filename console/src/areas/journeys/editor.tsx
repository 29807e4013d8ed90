import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ChangeJourney, Journey } from '../../sdk.ts';
import { useSingleMutation } from '../../ui/action.ts';
import { chunkOf, whenIdle } from '../../ui/chunk.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { AddStepMenu } from './add-step-menu.tsx';
import type { Draft, Graph, Step } from './graph.ts';
import { Outline } from './outline.tsx';
import { type Fault, faultsOf } from './places.ts';
import { texts } from './texts.ts';
import { type JourneyDraft, useDraft } from './use-draft.ts';

const Canvas = chunkOf(() => import('./canvas.tsx'));
// Loaded together with the page, not after the journey.
Canvas.preload();
const StepPanel = chunkOf(() => import('./step-panel.tsx'));
const Rules = chunkOf(() => import('./rules.tsx'));
const SecretDialog = chunkOf(async () => ({ default: (await import('../../ui/secret-dialog.tsx')).SecretDialog }));

const NO_FAULTS: readonly Fault[] = [];
const NULLABLE = ['intervaloReentradaHoras', 'silencio', 'tetoDeFrequencia', 'meta'] as const;
/** The whole of what is edited: a field that it lacks is cleared. */
const changeOf = (draft: Draft): ChangeJourney => ({
  ...Object.fromEntries(NULLABLE.map((field) => [field, null])),
  ...(draft as unknown as ChangeJourney),
});

/** Saves what was edited; of a version that runs it makes the next one's draft, which is then shown. */
const useSaving = (journey: Journey, onSaved: () => void) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useSingleMutation({
    mutationFn: (draft: Draft) => api.journeys.change(journey.id, changeOf(draft)),
    onSuccess: async ({ segredoWebhook: _, ...saved }) => {
      queries.setQueryData(['journey', saved.id], saved);
      onSaved();
      await queries.invalidateQueries({ queryKey: ['journeys'] });
      if (saved.id !== journey.id) await navigate({ to: `/journeys/${saved.id}`, ignoreBlocker: true });
    },
  });
};

/** The figures of a step, as it stands in the drawing. */
const useNotes = (journey: Journey) => {
  const t = useTexts(texts);
  const format = useFormat();
  const metrics = useQuery({
    queryKey: ['journey', journey.id, 'metrics'],
    queryFn: ({ signal }) => api.journeys.metrics(journey.id, { signal }),
    enabled: journey.status !== 'rascunho',
  });
  return useMemo(() => {
    const steps = new Map(metrics.data?.passos.map((each) => [each.chave, each]));
    return ({ chave, tipo }: Step): string | undefined => {
      const of = steps.get(chave);
      if (!of) return undefined;
      if (tipo !== 'enviar') return t.atNow(format.number(of.esperando), format.number(of.entraram));
      return t.sent(format.number(of.enviadas), format.number(of.entregues), format.number(of.lidas));
    };
  }, [metrics.data, t, format]);
};

/** Shown in place of the panel while no step is selected. */
const NoStep = () => (
  <Paper withBorder p="md">
    <Text size="sm" c="dimmed">
      {useTexts(texts).noStep}
    </Text>
  </Paper>
);

/** The rules, loaded when they are opened. */
const RulesSection = ({ state }: { readonly state: JourneyDraft }) => {
  const t = useTexts(texts);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Paper withBorder p="sm">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>{t.settings}</summary>
        {isOpen ? (
          <Rules.Component draft={state.draft} onChange={state.actions.setDraft} waiting={<Loading />} />
        ) : null}
      </details>
    </Paper>
  );
};

/** The chosen step. */
const Panel = ({ state, faults }: { readonly state: JourneyDraft; readonly faults: ReturnType<typeof faultsOf> }) => {
  const { draft, selected, actions } = state;
  // Loaded before a step is chosen, once the journey is drawn.
  useEffect(() => whenIdle(StepPanel.preload), []);
  const stepOf = (key: string | undefined) => draft.passos.find(({ chave }) => chave === key);
  // Follows the choice, which the list shows at once. A step that was renamed or removed meanwhile has no panel of its old key.
  const shown = useDeferredValue(selected);
  const step = stepOf(shown) ?? (shown === undefined ? undefined : stepOf(selected));
  if (!step) return <NoStep />;
  return (
    <StepPanel.Component
      key={`${step.chave} ${step.tipo}`}
      graph={draft}
      step={step}
      faults={faults.get(step.chave) ?? NO_FAULTS}
      actions={actions}
      waiting={<Loading rows={8} />}
    />
  );
};

interface SaveBarProps {
  readonly journey: Journey;
  readonly state: JourneyDraft;
  readonly saving: ReturnType<typeof useSaving>;
}
const SaveBar = ({ journey, state, saving }: SaveBarProps) => {
  const t = useTexts(texts);
  return (
    <Group gap="sm" role="status">
      {state.isChanged ? (
        <>
          <span>{t.unsaved}</span>
          <Button onClick={() => saving.mutate(state.draft)} loading={saving.isPending}>
            {journey.status === 'rascunho' ? t.save : t.saveVersion}
          </Button>
          <Button
            variant="subtle"
            onClick={() => {
              state.actions.discard();
              saving.reset();
            }}
          >
            {t.discard}
          </Button>
        </>
      ) : null}
      {saving.isSuccess && !state.isChanged ? <span>{t.saved}</span> : null}
    </Group>
  );
};

interface EditorProps {
  readonly journey: Journey;
  /** The faults for which an activation was refused. */
  readonly refused: unknown;
  readonly onSaved: () => void;
}

interface DrawnProps {
  readonly state: JourneyDraft;
  readonly faults: ReturnType<typeof faultsOf>;
  readonly noteOf: ReturnType<typeof useNotes>;
  readonly canEdit: boolean;
}

/** The journey as a list and as a drawing. Both follow what is typed in a step once the field shows it, the drawing also what is chosen in the list. */
const Drawn = ({ state, faults, noteOf, canEdit }: DrawnProps) => {
  const t = useTexts(texts);
  const { selected, actions } = state;
  const graph = useDeferredValue(state.draft);
  const drawnAs = useDeferredValue(selected);
  const countOf = useCallback((key: string) => faults.get(key)?.length ?? 0, [faults]);
  const edit = useMemo(
    () => (canEdit ? { edit: { connect: actions.connect, remove: actions.remove } } : {}),
    [canEdit, actions],
  );
  return (
    <>
      <Stack gap="xs">
        <Outline graph={graph} selected={selected} onSelect={actions.setSelected} faultsOf={countOf} />
        {canEdit ? <AddStepMenu label={t.addStep} onAdd={actions.add} /> : null}
      </Stack>
      <Canvas.Component
        graph={graph}
        selected={drawnAs}
        onSelect={actions.setSelected}
        faultsOf={countOf}
        noteOf={noteOf}
        {...edit}
        waiting={<Loading rows={8} />}
      />
    </>
  );
};

/** The journey as a drawing and as a list, and the chosen step beside them. */
export const Editor = ({ journey, refused, onSaved }: EditorProps) => {
  const t = useTexts(texts);
  const canEdit = useMay()('campaigns:write') && journey.status !== 'arquivada';
  const state = useDraft(journey);
  const saving = useSaving(journey, () => {
    state.actions.discard();
    onSaved();
  });
  const noteOf = useNotes(journey);
  // Places count in the graph as it was when the service refused it.
  const [submitted, error]: readonly [Graph, unknown] = saving.error
    ? [saving.variables ?? state.draft, saving.error]
    : [journey, refused];
  const faults = useMemo(() => faultsOf(error, submitted), [error, submitted]);
  const secret = saving.data?.segredoWebhook;
  const [secretKept, setSecretKept] = useState<string>();
  return (
    <Stack>
      <UnsavedGuard when={state.isChanged} />
      {canEdit ? <RulesSection state={state} /> : null}
      <ProblemView error={saving.error} />
      {canEdit ? (
        <SaveBar journey={journey} state={state} saving={saving} />
      ) : (
        <Alert variant="outline">{t.readOnly}</Alert>
      )}
      <div className="journey-grid">
        <Drawn state={state} faults={faults} noteOf={noteOf} canEdit={canEdit} />
        <Panel state={state} faults={faults} />
      </div>
      {secret !== undefined && secretKept !== secret ? (
        <SecretDialog.Component
          title={t.secretTitle}
          label={t.secret}
          hint={t.secretHint}
          secret={secret}
          done={t.secretDone}
          onClose={() => setSecretKept(secret)}
        />
      ) : null}
    </Stack>
  );
};
