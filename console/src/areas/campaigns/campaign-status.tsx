import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignRecipient } from '../../sdk.ts';
import { Status, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'running',
  'paused',
  'completed',
  'cancelled',
] as const satisfies readonly Campaign['status'][];
const TONES: Readonly<Record<Campaign['status'], Tone>> = {
  draft: 'neutral',
  scheduled: 'pending',
  running: 'pending',
  paused: 'bad',
  completed: 'good',
  cancelled: 'neutral',
};
export const CampaignStatus = ({ status }: Pick<Campaign, 'status'>) => (
  <Status tone={TONES[status]}>{useTexts(texts).statuses[status]}</Status>
);

export const RECIPIENT_STATUSES = [
  'pending',
  'skipped',
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'archived',
] as const satisfies readonly CampaignRecipient['status'][];
const RECIPIENT_TONES: Readonly<Record<CampaignRecipient['status'], Tone>> = {
  pending: 'pending',
  skipped: 'neutral',
  queued: 'pending',
  sending: 'pending',
  sent: 'pending',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  archived: 'neutral',
};
export const RecipientStatus = ({ status }: Pick<CampaignRecipient, 'status'>) => (
  <Status tone={RECIPIENT_TONES[status]}>{useTexts(texts).recipientStatuses[status]}</Status>
);

/** Whether a campaign may be changed: it never began. */
export const canChange = ({ status, startedAt }: Campaign): boolean =>
  status === 'draft' || status === 'scheduled' || (status === 'paused' && startedAt === undefined);
