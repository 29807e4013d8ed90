import { useTexts } from '../../app/texts.ts';
import type { Campaign, CampaignRecipient } from '../../sdk.ts';
import { MESSAGE_TONES, StateOf, type Tone } from '../../ui/values.tsx';
import { texts } from './texts.ts';

const TONES: Readonly<Record<Campaign['status'], Tone>> = {
  draft: 'neutral',
  scheduled: 'pending',
  running: 'pending',
  paused: 'bad',
  completed: 'good',
  cancelled: 'neutral',
};
export const CampaignStatus = ({ status }: Pick<Campaign, 'status'>) => (
  <StateOf state={status} tones={TONES} words={useTexts(texts).statuses} />
);

/** Until a recipient has a message, and where it gets none; then as its message. */
const RECIPIENT_TONES: Readonly<Record<CampaignRecipient['status'], Tone>> = {
  ...MESSAGE_TONES,
  pending: 'pending',
  skipped: 'neutral',
};
export const RecipientStatus = ({ status }: Pick<CampaignRecipient, 'status'>) => (
  <StateOf state={status} tones={RECIPIENT_TONES} words={useTexts(texts).recipientStatuses} />
);

/** Whether a campaign may be changed: it never began. */
export const canChange = ({ status, startedAt }: Campaign): boolean =>
  status === 'draft' || status === 'scheduled' || (status === 'paused' && startedAt === undefined);
