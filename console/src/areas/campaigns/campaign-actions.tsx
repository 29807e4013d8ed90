import { Button, NumberInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign } from '../../sdk.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ActionDialog, DeleteDialog } from '../../ui/action-dialog.tsx';
import { QueryView } from '../../ui/lists.tsx';
import { canChange } from './campaign-status.tsx';
import { PreviewFigures, usePreview } from './preview.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly campaign: Campaign;
  readonly onClose: () => void;
}

/** The queries that a change of a campaign invalidates. */
const changed = ({ id }: Campaign) => [['campaign', id], ['campaigns']];

/** Shows what the start will do, as the preview has it, before it is done. */
const StartDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const preview = usePreview(campaign.id);
  return (
    <ActionDialog
      title={t.start}
      hint={campaign.scheduledAt ? t.startsAt : t.startHint}
      act={() => api.campaigns.start(campaign.id)}
      invalidates={changed(campaign)}
      onClose={onClose}
    >
      <QueryView query={preview} loadingRows={2}>
        {(data) => <PreviewFigures preview={data} />}
      </QueryView>
    </ActionDialog>
  );
};

const ResumeDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const [maxCoins, setMaxCoins] = useState(campaign.maxCoins);
  return (
    <ActionDialog
      title={t.resume}
      hint={t.resumeHint}
      act={() => api.campaigns.resume(campaign.id, maxCoins === undefined ? {} : { maxCoins })}
      invalidates={changed(campaign)}
      onClose={onClose}
    >
      <NumberInput
        hideControls
        label={t.maxCoins}
        value={maxCoins ?? ''}
        onChange={(value) => setMaxCoins(typeof value === 'number' ? value : undefined)}
      />
    </ActionDialog>
  );
};

const CancelDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <ActionDialog
      dangerous
      title={t.cancel}
      hint={t.cancelHint}
      act={() => api.campaigns.cancel(campaign.id)}
      invalidates={changed(campaign)}
      onClose={onClose}
    />
  );
};

const RemoveDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  return (
    <DeleteDialog
      title={t.remove}
      hint={t.removeHint}
      remove={() => api.campaigns.delete(campaign.id)}
      leadsTo="/campaigns"
      invalidates={[['campaigns']]}
      onClose={onClose}
    />
  );
};

const DIALOGS = { start: StartDialog, resume: ResumeDialog, cancel: CancelDialog, remove: RemoveDialog } as const;
type Dialog = keyof typeof DIALOGS;

const offeredFor = (campaign: Campaign): readonly Dialog[] => {
  const { status } = campaign;
  if (status === 'draft' || status === 'scheduled') return ['start', 'cancel', 'remove'];
  if (status === 'running') return ['cancel'];
  if (status === 'paused') return [canChange(campaign) ? 'start' : 'resume', 'cancel'];
  return [];
};

/** The actions on a campaign in its status that the person may do. */
export const CampaignActions = ({ campaign }: { readonly campaign: Campaign }) => {
  const t = useTexts(texts);
  const may = useMay();
  const [dialog, setDialog] = useState<Dialog>();
  if (!may('campaigns:write')) return null;
  const Opened = dialog && DIALOGS[dialog];
  return (
    <>
      {canChange(campaign) ? (
        <Button variant="default" component={Link} to={`/campaigns/${campaign.id}/edit`}>
          {t.edit}
        </Button>
      ) : null}
      {campaign.status === 'running' ? (
        <ActionButton label={t.pause} act={() => api.campaigns.pause(campaign.id)} invalidates={changed(campaign)} />
      ) : null}
      {offeredFor(campaign).map((each) => (
        <Button
          key={each}
          variant={each === 'start' || each === 'resume' ? 'filled' : 'default'}
          onClick={() => setDialog(each)}
        >
          {t[each]}
        </Button>
      ))}
      {Opened ? <Opened campaign={campaign} onClose={() => setDialog(undefined)} /> : null}
    </>
  );
};
