import type { WorkItem } from '../../queues/queues.ts';
import { isCampaignPortion, PARSE_KEY } from '../../storage/parse-key.ts';

/** Processes a work item of a campaign or of one of its portions. Loaded with the first one: most batches of the queue are sends. Safe under repeats and reordering. */
export const processCampaignItem = async (item: WorkItem): Promise<void> => {
  const { portionPorts } = await import('./portions.ts');
  if (isCampaignPortion(item)) {
    const { campaignId, portion } = PARSE_KEY.campaignPortion(item);
    return (await import('../../domain/campaigns/send-portion.ts')).sendPortion(portionPorts, campaignId, portion);
  }
  return (await import('../../domain/campaigns/drive.ts')).driveCampaign(portionPorts, PARSE_KEY.campaign(item));
};
