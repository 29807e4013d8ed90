import { Alert, Checkbox, List, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Journey } from '../../sdk.ts';
import { useAction } from '../../ui/action.ts';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { texts } from './texts.ts';

export interface ActionProps {
  readonly journey: Journey;
  /** The faults for which an activation was refused, to be shown at the steps. */
  readonly onRefused: (error: unknown) => void;
}
interface DialogProps extends ActionProps {
  readonly onClose: () => void;
}

/** The queries that a change of a journey invalidates. */
const CHANGED = [['journey'], ['journeys']];

const ActivateDialog = ({ journey, onRefused, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [includes, setIncludes] = useState(false);
  const { tipo } = journey.gatilho;
  const canInclude = tipo === 'lista' || tipo === 'segmento';
  const activate = () => api.journeys.activate(journey.id, canInclude ? { incluirAtuais: includes } : {});
  return (
    <ActionDialog
      title={journey.status === 'pausada' ? t.resume : t.activate}
      hint={t.activateHint}
      act={activate}
      invalidates={CHANGED}
      onError={onRefused}
      onClose={onClose}
    >
      {canInclude ? (
        <Checkbox
          label={t.includeCurrent}
          checked={includes}
          onChange={({ currentTarget }) => setIncludes(currentTarget.checked)}
        />
      ) : null}
    </ActionDialog>
  );
};

const ArchiveDialog = ({ journey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      dangerous
      title={t.archive}
      hint={t.archiveHint}
      act={() => api.journeys.archive(journey.id)}
      invalidates={CHANGED}
      onClose={onClose}
    />
  );
};

const RemoveDialog = ({ journey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <DeleteDialog
      title={t.remove}
      hint={t.removeHint}
      remove={() => api.journeys.delete(journey.id)}
      leadsTo="/journeys"
      invalidates={CHANGED}
      onClose={onClose}
    />
  );
};

const EnterDialog = ({ journey, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const [ids, setIds] = useState('');
  const entering = useAction(
    () => api.journeys.enter(journey.id, { contactIds: ids.split(/\s+/).filter((id) => id !== '') }),
    { invalidates: CHANGED },
  );
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
  remove: RemoveDialog,
  enter: EnterDialog,
} as const;
export type JourneyAct = keyof typeof DIALOGS;

/** Asks before an act on a version, and does it. */
export default function JourneyDialog({ act, ...dialog }: DialogProps & { readonly act: JourneyAct }) {
  const Dialog = DIALOGS[act];
  return <Dialog {...dialog} />;
}
