import type { MessageRecord } from '../../domain/message/message.ts';
import { clock } from '../process/aws.ts';

/** Pauses the campaign of a message that no provider takes, since each refuses the service's account. Loaded by the first such message. */
export const pauseCampaignSending = async (message: MessageRecord): Promise<void> => {
  if (message.campaign === undefined) return;
  const { pauseCampaignOf } = await import('../../domain/campaigns/pause-refused.ts');
  const { store } = (await import('../campaigns/campaigns.ts')).campaignPorts;
  await pauseCampaignOf({ clock, store }, message);
};

/** The same of a message of a campaign or of a journey: those leave alone, and never in a chunk. */
export const pauseSending = async (message: MessageRecord): Promise<void> => {
  await pauseCampaignSending(message);
  if (!message.journey) return;
  const { pauseJourneyOf } = await import('../../domain/journeys/pause-refused.ts');
  await pauseJourneyOf({ clock, store: (await import('../runs/store.ts')).journeys }, message);
};
