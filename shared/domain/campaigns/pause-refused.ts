import { givenAt, type MessageRecord } from '../message/message.ts';
import { pauseFor } from './lifecycle.ts';
import type { LifecyclePorts } from './ports.ts';

/**
 * Pauses the campaign that sent a message which no provider takes because each refuses the service's account: none of the others would leave. Nothing for
 * one that was resumed after the message was given to its provider.
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
