import { Alert, Button, Checkbox, List, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Journey } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { texts } from './texts.ts';

interface ActionProps {
  readonly journey: Journey;
  /** The faults for which an activation was refused, to be shown at the steps. */
  readonly onRefused: (error: unknown) => void;
}
interface DialogProps extends ActionProps {
  readonly onClose: () => void;
}

const useRefresh = () => {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ['journey'] });
    await queries.invalidateQueries({ queryKey: ['journeys'] });
  };
};

const ActivateDialog = ({ journey, onRefused, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh();
  const [includes, setIncludes] = useState(false);
  const { tipo } = journey.gatilho;
  const canInclude = tipo === 'lista' || tipo === 'segmento';
  const activating = useMutation({
    mutationFn: () => api.journeys.activate(journey.id, canInclude ? { incluirAtuais: includes } : {}),
    onSuccess: async () => {
      await refresh();
      onClose();
    },
    onError: onRefused,
  });
  const title = journey.status === 'pausada' ? t.resume : t.activate;
  return (
    <Confirm
      opened
      onClose={onClose}
      title={title}
      hint={t.activateHint}
      action={title}
      onConfirm={() => activating.mutate()}
      busy={activating.isPending}
      error={activating.error}
    >
      {canInclude ? (
        <Checkbox
          label={t.includeCurrent}
          checked={includes}
          onChange={({ currentTarget }) => setIncludes(currentTarget.checked)}
        />
      ) : null}
    </Confirm>
  );
};

const ArchiveDialog = ({ journey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh();
  const navigate = useNavigate();
  const isDraft = journey.status === 'rascunho';
  const ending = useMutation({
    mutationFn: async () => {
      if (isDraft) await api.journeys.delete(journey.id);
      else await api.journeys.archive(journey.id);
    },
    onSuccess: async () => {
      // A deleted version is not requested again.
      if (isDraft) await navigate({ to: '/journeys' });
      await refresh();
      onClose();
    },
  });
  const title = isDraft ? t.remove : t.archive;
  return (
    <Confirm
      opened
      dangerous
      onClose={onClose}
      title={title}
      hint={isDraft ? t.removeHint : t.archiveHint}
      action={title}
      onConfirm={() => ending.mutate()}
      busy={ending.isPending}
      error={ending.error}
    />
  );
};

const EnterDialog = ({ journey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const refresh = useRefresh();
  const [ids, setIds] = useState('');
  const entering = useMutation({
    mutationFn: () => api.journeys.enter(journey.id, { contactIds: ids.split(/\s+/).filter((id) => id !== '') }),
    onSuccess: refresh,
  });
  const refused = entering.data?.items.filter(({ motivo }) => motivo !== undefined) ?? [];
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.enter}
      action={t.enter}
      onConfirm={() => entering.mutate()}
      busy={entering.isPending}
      error={entering.error}
    >
      <Textarea
        required
        autosize
        minRows={3}
        label={t.enterHint}
        value={ids}
        onChange={({ currentTarget }) => setIds(currentTarget.value)}
      />
      {entering.data ? (
        <Alert variant="outline" role="status" title={t.entered(format.number(entering.data.entraram))}>
          <List size="sm">
            {refused.map(({ contactId, motivo }) => (
              <List.Item key={contactId}>
                {contactId}: {motivo ? t.refusals[motivo] : ''}
              </List.Item>
            ))}
          </List>
        </Alert>
      ) : null}
    </Confirm>
  );
};

const DIALOGS = {
  activate: ActivateDialog,
  resume: ActivateDialog,
  archive: ArchiveDialog,
  remove: ArchiveDialog,
  enter: EnterDialog,
} as const;
type Dialog = keyof typeof DIALOGS;

const offeredFor = ({ status, gatilho }: Journey): readonly Dialog[] => {
  if (status === 'rascunho') return ['activate', 'remove'];
  if (status === 'pausada') return ['resume', 'archive'];
  if (status === 'ativa') return [...(gatilho.tipo === 'manual' ? (['enter'] as const) : []), 'archive'];
  return [];
};

const PauseButton = ({ journey }: { readonly journey: Journey }) => {
  const t = useTexts(texts);
  const refresh = useRefresh();
  const pausing = useMutation({ mutationFn: () => api.journeys.pause(journey.id), onSuccess: refresh });
  return (
    <>
      <Button variant="default" onClick={() => pausing.mutate()} loading={pausing.isPending}>
        {t.pause}
      </Button>
      <ProblemView error={pausing.error} />
    </>
  );
};

/** The actions on a version in its status that the person may do. */
export const JourneyActions = ({ journey, onRefused }: ActionProps) => {
  const t = useTexts(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<Dialog>();
  const Opened = dialog && DIALOGS[dialog];
  return (
    <>
      <Button variant="default" component={Link} to={`/journeys/${journey.id}/simulate`}>
        {t.simulate}
      </Button>
      <Button variant="default" component={Link} to={`/journeys/${journey.id}/runs`}>
        {t.runs}
      </Button>
      {may('campaigns:write') && journey.status === 'ativa' ? <PauseButton journey={journey} /> : null}
      {may('campaigns:write')
        ? offeredFor(journey).map((each) => (
            <Button
              key={each}
              variant={each === 'activate' || each === 'resume' ? 'filled' : 'default'}
              onClick={() => setDialog(each)}
            >
              {t[each]}
            </Button>
          ))
        : null}
      {Opened ? <Opened journey={journey} onRefused={onRefused} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
};
