import { consumer } from '../../shared/runtime/consumer.ts';
import { processChunkItem } from '../../shared/wiring/bulk/bulk.ts';
import { processJobItem } from '../../shared/wiring/bulk/jobs.ts';
import { processCampaignItem } from '../../shared/wiring/campaigns/work.ts';
import { pauseCampaignSending } from '../../shared/wiring/consumers/refused-account.ts';

export const handler = consumer('bulk', (item) => {
  if (item.kind === 'run_job') return processJobItem(item);
  return item.kind === 'campaign_work'
    ? processCampaignItem(item)
    : processChunkItem(item, { onAccountRefused: pauseCampaignSending });
});
