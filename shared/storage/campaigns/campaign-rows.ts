import * as z from 'zod';
import {
  CAMPAIGN_STATUSES,
  type Campaign,
  type CampaignInput,
  type Drive,
  PAUSE_REASONS,
} from '../../domain/campaigns/campaign.ts';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, packedJson, tenant, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** The messages and audience of a campaign. Stored separately, since each step of its work writes the campaign's own row. */
export type Content = Pick<CampaignInput, 'audience' | 'message' | 'variants'>;
interface StoredCampaign extends Omit<Campaign, keyof Content> {
  /** The campaign's version when its content was written. */
  readonly contentVersion: number;
}

/** Under the names that rows had from the start, since versions of the service that run side by side read each other's rows. */
const storedDrive = z.object({
  snapshot: z.string(),
  chunks: z.array(z.int()),
  total: z.int(),
  portions: z.int(),
  portionedTo: z.int(),
  portioned: z.boolean(),
  paced: z.int(),
  pacedFrom: z.int(),
  epoch: z.int(),
  told: z.int(),
  lastSent: z.int(),
  lastSentAt: z.int(),
  moves: z.int(),
  movedAt: z.int(),
  lookAt: z.int().default(0),
});
const drive = z.codec(storedDrive, z.custom<Drive>(), {
  decode: ({ told, moves, movedAt, lookAt, ...same }) => ({
    ...same,
    portionsInEpoch: told,
    counterSum: moves,
    counterSumAt: movedAt,
    nextCheckAt: lookAt,
  }),
  encode: ({ portionsInEpoch, counterSum, counterSumAt, nextCheckAt, chunks, ...same }) => ({
    ...same,
    chunks: [...chunks],
    told: portionsInEpoch,
    moves: counterSum,
    movedAt: counterSumAt,
    lookAt: nextCheckAt,
  }),
});

export const campaignRows = defineRow<StoredCampaign>()({
  attributes: {
    id: id('campaign'),
    ...tenant,
    name: z.string(),
    status: z.enum(CAMPAIGN_STATUSES),
    scheduledAt: time.optional(),
    perMinute: z.int().optional(),
    maxCoins: z.int().optional(),
    campaignTag: z.string().optional(),
    frequencyCap: z.object({ messages: z.int(), days: z.int() }).optional(),
    pausedBy: z.object({ reason: z.enum(PAUSE_REASONS), at: z.int() }).optional(),
    startedAt: time.optional(),
    completedAt: time.optional(),
    cancelledAt: time.optional(),
    drive: drive.optional(),
    contentVersion: z.int(),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  key: (campaign) => KEYS.campaign(campaign.id),
  index: ({ id: campaignId, organizationId, createdAt }) =>
    INDEX_KEYS.campaignsOf(organizationId, isoTime(createdAt), campaignId),
});

/** The maximum unpacked size of a campaign's content, in bytes. */
const MAX_BYTES = 1024 * 1024;
interface StoredContent {
  readonly organizationId: Id<'organization'>;
  readonly content: Content;
  readonly version: number;
}
export const contentRows = defineRow<StoredContent>()({
  attributes: {
    organizationId: id('organization'),
    // It was validated by the contract before it was packed.
    content: packedJson(MAX_BYTES, (json) => json as Content),
    version: z.int(),
  },
  key: (_, campaignId: Id<'campaign'>) => KEYS.campaignContent(campaignId),
});
