import { definedFields } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import type { Audience, CampaignMessage, Variant } from './campaign.ts';
import type { CountedCampaign } from './campaigns.ts';
import { progressOf } from './drive.ts';

const moment = (at: number | undefined) => (at === undefined ? undefined : isoTime(at));
const listed = <T>(items: readonly T[] | undefined) => items && [...items];

const audienceView = ({ listIds, segmentIds, contactIds, excludeListIds, excludeSegmentIds }: Audience) =>
  definedFields({
    listIds: listed(listIds),
    segmentIds: listed(segmentIds),
    contactIds: listed(contactIds),
    excludeListIds: listed(excludeListIds),
    excludeSegmentIds: listed(excludeSegmentIds),
  });

const messageView = ({ channel, fallback, variables, metadata, ...rest }: CampaignMessage) => ({
  channel,
  ...definedFields({
    ...rest,
    variables: variables && { ...variables },
    metadata: metadata && { ...metadata },
    fallback: fallback?.map((step) =>
      typeof step === 'string' ? step : { ...step, variables: step.variables && { ...step.variables } },
    ),
  }),
});

const variantView = ({ name, weight, message }: Variant) => ({ name, weight, message: messageView(message) });

/** A campaign on the wire (docs/spec/campaigns.md#shape). */
export const campaignView = ({ figures, ...campaign }: CountedCampaign) => {
  const { id, name, status, message, variants, audience, pausedBy, perMinute, maxCoins, campaignTag } = campaign;
  const { frequencyCap } = campaign;
  return {
    id,
    name,
    status,
    audience: audienceView(audience),
    progress: progressOf(campaign, figures),
    coins: { captured: figures.coinsCaptured, held: figures.coinsHeld },
    ...definedFields({
      message: message && messageView(message),
      variants: variants?.map(variantView),
      perMinute,
      maxCoins,
      campaignTag,
      frequencyCap,
      scheduledAt: moment(campaign.scheduledAt),
      pausedBy: pausedBy && { reason: pausedBy.reason, at: isoTime(pausedBy.at) },
      startedAt: moment(campaign.startedAt),
      completedAt: moment(campaign.completedAt),
      cancelledAt: moment(campaign.cancelledAt),
    }),
    createdAt: isoTime(campaign.createdAt),
    updatedAt: isoTime(campaign.updatedAt),
  };
};
