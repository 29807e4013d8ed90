import type { MessageRecord } from '../../domain/message/message.ts';
import { clock } from '../process/aws.ts';

/** Pauses the campaign of a message that failed because every provider refuses the service's account. Loaded on first use. */
export const pauseCampaignSending = async (message: MessageRecord): Promise<void> => {
  if (message.campaign === undefined) return;
  const { pauseCampaignOf } = await import('../../domain/campaigns/pause-refused.ts');
  const { store } = (await import('../campaigns/campaigns.ts')).campaignPorts;
  await pauseCampaignOf({ clock, store }, message);
};

/** The same for a campaign's or a journey's message that was sent individually, not in a chunk. */
export const pauseSending = async (message: MessageRecord): Promise<void> => {
  await pauseCampaignSending(message);
  if (!message.journey) return;
  const { pauseJourneyOf } = await import('../../domain/journeys/pause-refused.ts');
  await pauseJourneyOf({ clock, store: (await import('../runs/store.ts')).journeys }, message);
};
