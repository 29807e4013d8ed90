import { Button, NumberInput, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useMay } from '../../app/session.ts';
import { useTexts } from '../../app/texts.ts';
import type { Campaign } from '../../sdk.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { Loading } from '../../ui/states.tsx';
import { canChange } from './campaign-status.tsx';
import { PreviewFigures, usePreview } from './preview.tsx';
import { texts } from './texts.ts';

interface DialogProps {
  readonly campaign: Campaign;
  readonly onClose: () => void;
}

const useRefresh = ({ id }: Campaign) => {
  const queries = useQueryClient();
  return async () => {
    await queries.invalidateQueries({ queryKey: ['campaign', id] });
    await queries.invalidateQueries({ queryKey: ['campaigns'] });
  };
};

/** Shows what the start will do, as the preview has it, before it is done. */
const StartDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh(campaign);
  const preview = usePreview(campaign.id);
  const starting = useMutation({
    mutationFn: () => api.campaigns.start(campaign.id),
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.start}
      hint={campaign.scheduledAt ? t.startsAt : t.startHint}
      action={t.start}
      onConfirm={() => starting.mutate()}
      busy={starting.isPending}
      error={starting.error}
    >
      {preview.isPending && !preview.error ? <Loading rows={2} /> : null}
      <ProblemView error={preview.error} />
      {preview.data ? <PreviewFigures preview={preview.data} /> : null}
    </Confirm>
  );
};

const ResumeDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh(campaign);
  const [maxCoins, setMaxCoins] = useState(campaign.maxCoins);
  const resuming = useMutation({
    mutationFn: () => api.campaigns.resume(campaign.id, maxCoins === undefined ? {} : { maxCoins }),
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t.resume}
      hint={t.resumeHint}
      action={t.resume}
      onConfirm={() => resuming.mutate()}
      busy={resuming.isPending}
      error={resuming.error}
    >
      <NumberInput
        hideControls
        label={t.maxCoins}
        value={maxCoins ?? ''}
        onChange={(value) => setMaxCoins(typeof value === 'number' ? value : undefined)}
      />
    </Confirm>
  );
};

const CancelDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const refresh = useRefresh(campaign);
  const cancelling = useMutation({
    mutationFn: () => api.campaigns.cancel(campaign.id),
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  return (
    <Confirm
      opened
      dangerous
      onClose={onClose}
      title={t.cancel}
      action={t.cancel}
      onConfirm={() => cancelling.mutate()}
      busy={cancelling.isPending}
      error={cancelling.error}
    >
      <Text size="sm">{t.cancelHint}</Text>
    </Confirm>
  );
};

const RemoveDialog = ({ campaign, onClose }: DialogProps) => {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const removing = useMutation({
    mutationFn: () => api.campaigns.delete(campaign.id),
    onSuccess: async () => {
      await navigate({ to: '/campaigns' });
      await queries.invalidateQueries({ queryKey: ['campaigns'] });
    },
  });
  return (
    <Confirm
      opened
      dangerous
      onClose={onClose}
      title={t.remove}
      hint={t.removeHint}
      action={t.remove}
      onConfirm={() => removing.mutate()}
      busy={removing.isPending}
      error={removing.error}
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

const PauseButton = ({ campaign }: { readonly campaign: Campaign }) => {
  const t = useTexts(texts);
  const refresh = useRefresh(campaign);
  const pausing = useMutation({ mutationFn: () => api.campaigns.pause(campaign.id), onSuccess: refresh });
  return (
    <>
      <Button variant="default" onClick={() => pausing.mutate()} loading={pausing.isPending}>
        {t.pause}
      </Button>
      <ProblemView error={pausing.error} />
    </>
  );
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
      {campaign.status === 'running' ? <PauseButton campaign={campaign} /> : null}
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
