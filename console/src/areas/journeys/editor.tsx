import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { ChangeJourney, Journey } from '../../sdk.ts';
import { useSingleMutation } from '../../ui/action.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { AddStepMenu } from './add-step-menu.tsx';
import type { Draft, Graph, Step } from './graph.ts';
import { Outline } from './outline.tsx';
import { faultsOf } from './places.ts';
import { texts } from './texts.ts';
import { type JourneyDraft, useDraft } from './use-draft.ts';

const loadCanvas = () => import('./canvas.tsx');
const Canvas = lazy(loadCanvas);
// Loaded together with the page, not after the journey. A failure is shown when the page needs it.
loadCanvas().catch(() => undefined);
const StepPanel = lazy(() => import('./step-panel.tsx'));
const Rules = lazy(() => import('./rules.tsx'));
const SecretDialog = lazy(async () => ({ default: (await import('../../ui/secret-dialog.tsx')).SecretDialog }));

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
  const steps = new Map(metrics.data?.passos.map((each) => [each.chave, each]));
  return ({ chave, tipo }: Step): string | undefined => {
    const of = steps.get(chave);
    if (!of) return undefined;
    if (tipo !== 'enviar') return t.atNow(format.number(of.esperando), format.number(of.entraram));
    return t.sent(format.number(of.enviadas), format.number(of.entregues), format.number(of.lidas));
  };
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
        <Suspense fallback={<Loading />}>
          {isOpen ? <Rules draft={state.draft} onChange={state.setDraft} /> : null}
        </Suspense>
      </details>
    </Paper>
  );
};

const Panel = ({ state, faults }: { readonly state: JourneyDraft; readonly faults: ReturnType<typeof faultsOf> }) => {
  const { draft, selected } = state;
  const step = draft.passos.find(({ chave }) => chave === selected);
  if (!step || selected === undefined) return <NoStep />;
  return (
    <StepPanel
      key={`${selected} ${step.tipo}`}
      graph={draft}
      step={step}
      faults={faults.get(selected) ?? []}
      onChange={(next) => state.change(selected, next)}
      onConnect={(outcome, target) => state.connect(selected, outcome, target)}
      onAdd={(kind, outcome) => state.add(kind, { key: selected, outcome })}
      onRemove={() => state.remove(selected)}
      onFirst={() => state.first(selected)}
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
              state.discard();
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

/** The journey as a drawing and as a list, and the chosen step beside them. */
export const Editor = ({ journey, refused, onSaved }: EditorProps) => {
  const t = useTexts(texts);
  const canEdit = useMay()('campaigns:write') && journey.status !== 'arquivada';
  const state = useDraft(journey);
  const saving = useSaving(journey, () => {
    state.discard();
    onSaved();
  });
  const noteOf = useNotes(journey);
  // Places count in the graph as it was when the service refused it.
  const [submitted, error]: readonly [Graph, unknown] = saving.error
    ? [saving.variables ?? state.draft, saving.error]
    : [journey, refused];
  const faults = faultsOf(error, submitted);
  const countOf = (key: string) => faults.get(key)?.length ?? 0;
  const { draft, selected, setSelected } = state;
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
        <Stack gap="xs">
          <Outline graph={draft} selected={selected} onSelect={setSelected} faultsOf={countOf} />
          {canEdit ? <AddStepMenu label={t.addStep} onAdd={(kind) => state.add(kind)} /> : null}
        </Stack>
        <Suspense fallback={<Loading rows={8} />}>
          <Canvas
            graph={draft}
            selected={selected}
            onSelect={setSelected}
            faultsOf={countOf}
            noteOf={noteOf}
            {...(canEdit ? { edit: { connect: state.connect, remove: state.remove } } : {})}
          />
        </Suspense>
        <Suspense fallback={<Loading rows={8} />}>
          <Panel state={state} faults={faults} />
        </Suspense>
      </div>
      {secret !== undefined && secretKept !== secret ? (
        <Suspense>
          <SecretDialog
            title={t.secretTitle}
            label={t.secret}
            hint={t.secretHint}
            secret={secret}
            done={t.secretDone}
            onClose={() => setSecretKept(secret)}
          />
        </Suspense>
      ) : null}
    </Stack>
  );
};
