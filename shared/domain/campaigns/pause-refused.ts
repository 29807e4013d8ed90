import { givenAt, type MessageRecord } from '../message/message.ts';
import { pauseFor } from './lifecycle.ts';
import type { LifecyclePorts } from './ports.ts';

/**
 * Pauses the campaign of a message that failed because every provider refuses the service's account, since all others would fail too. Does
 * nothing if it was resumed after the message was handed to its provider.
 */
export const pauseCampaignOf = async (
  ports: Pick<LifecyclePorts, 'clock' | 'store'>,
  message: MessageRecord,
): Promise<void> => {
  if (message.campaign === undefined) return;
  const campaign = await ports.store.readById(message.campaign);
  if (campaign?.status !== 'running' || !campaign.drive || campaign.drive.pacedFrom > givenAt(message)) return;
  await pauseFor(ports, campaign.id, 'provider_unavailable', { epoch: campaign.drive.epoch });
};
