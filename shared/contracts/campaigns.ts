import * as z from 'zod';
import { CAMPAIGN_STATUSES } from '../domain/campaigns/campaign.ts';
import { RECIPIENT_STATUSES } from '../domain/campaigns/recipients.ts';
import {
  Campaign,
  CampaignPreview,
  CampaignRecipient,
  CreateCampaign,
  campaignFields,
  UpdateCampaign,
} from './campaign-fields.ts';
import { byCursor, closedObject, cursorPageOf, optionalBoundedText, paged, pageOf, pathId } from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';

const params = z.object({ id: pathId('campaign', 'The id of the campaign.') });
const tag = 'Campaigns';
const reads = { permission: 'campaigns:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'campaigns:write', tag } as const;
/** Operations that select an audience plan its messages, and cache the counts from the index. */
const selects = { table: 'write', rootKeys: SENDING_KEYS, liveVolume: true } as const;
/** Selecting an audience of a million contacts takes a second or two, and some megabytes. */
const large = { memoryMb: 1769, timeoutSeconds: 28 } as const;
const moves = { ...writes, params, answer: Campaign, errors: ['CONFLICT'] } as const;
const changes = { table: 'write', queues: ['bulk', 'events'] } as const;

export const createCampaign = defineOperation({
  ...writes,
  id: 'campaigns.create',
  route: 'POST /v2/campaigns',
  summary: 'Create a campaign',
  description:
    'As a draft: nothing is sent before it is started. Braces that are not closed, and unknown placeholders, are 422 with their position.',
  body: CreateCampaign,
  responses: { 201: Campaign },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'write' },
});

export const listCampaigns = defineOperation({
  ...reads,
  id: 'campaigns.list',
  route: 'GET /v2/campaigns',
  summary: 'List campaigns, newest first',
  query: z.strictObject({
    status: z
      .enum(CAMPAIGN_STATUSES)
      .optional()
      .meta({ description: 'Only those with this status.', example: 'running' }),
    ...paged(50, 200),
  }),
  answer: pageOf(Campaign, 'CampaignPage', 'campaigns'),
});

export const getCampaign = defineOperation({
  ...reads,
  id: 'campaigns.get',
  route: 'GET /v2/campaigns/{id}',
  summary: 'Read a campaign and its progress',
  params,
  answer: Campaign,
});

export const updateCampaign = defineOperation({
  ...writes,
  id: 'campaigns.update',
  route: 'PATCH /v2/campaigns/{id}',
  summary: 'Change a campaign',
  description:
    'Only for a draft, a scheduled campaign, or a paused one that never began. Absent fields stay; null clears: without `scheduledAt`, one that was scheduled is a draft. A `message` replaces `variants`, and vice versa.',
  params,
  body: UpdateCampaign,
  answer: Campaign,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: changes,
});

export const deleteCampaign = defineOperation({
  ...writes,
  id: 'campaigns.delete',
  route: 'DELETE /v2/campaigns/{id}',
  summary: 'Delete a campaign',
  description: 'Only for a draft or a scheduled campaign.',
  params,
  responses: { 204: null },
  errors: ['CONFLICT'],
  uses: { table: 'write' },
});

export const previewCampaign = defineOperation({
  permission: 'campaigns:read',
  tag,
  ...large,
  id: 'campaigns.preview',
  route: 'POST /v2/campaigns/{id}/preview',
  summary: 'Preview what a campaign would do and cost',
  description: 'Stores, sends and charges nothing. The reach is exact.',
  params,
  answer: CampaignPreview,
  errors: ['VALIDATION_ERROR'],
  uses: selects,
});

export const startCampaign = defineOperation({
  ...moves,
  ...large,
  id: 'campaigns.start',
  route: 'POST /v2/campaigns/{id}/start',
  summary: 'Start a campaign',
  description:
    'Takes a snapshot of its audience now, or at `scheduledAt` if that is in the future. A running campaign is answered as it is.',
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { ...selects, queues: ['bulk', 'events'] },
});

export const pauseCampaign = defineOperation({
  ...moves,
  id: 'campaigns.pause',
  route: 'POST /v2/campaigns/{id}/pause',
  summary: 'Pause a campaign',
  description: 'Accepted messages are still sent; no other recipient gets a message.',
  uses: changes,
});

export const resumeCampaign = defineOperation({
  ...moves,
  ...large,
  id: 'campaigns.resume',
  route: 'POST /v2/campaigns/{id}/resume',
  summary: 'Resume a paused campaign',
  description: 'Continues with exactly the recipients that have no message.',
  body: closedObject('ResumeCampaign', 'Changes to apply; may be absent.', { maxCoins: campaignFields.maxCoins }),
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { ...selects, queues: ['bulk', 'events'] },
});

export const cancelCampaign = defineOperation({
  ...moves,
  id: 'campaigns.cancel',
  route: 'POST /v2/campaigns/{id}/cancel',
  summary: 'Cancel a campaign',
  description: 'Messages that were not sent yet are cancelled soon after, and their money released.',
  uses: changes,
});

export const listCampaignRecipients = defineOperation({
  ...reads,
  id: 'campaigns.recipients',
  route: 'GET /v2/campaigns/{id}/recipients',
  summary: "List a campaign's recipients",
  description:
    'In the order in which they joined the organization. A page reads 1,000 recipients at most, and may have fewer than its limit.',
  params,
  query: z.strictObject({
    status: z
      .enum(RECIPIENT_STATUSES)
      .optional()
      .meta({ description: 'Only those with this status.', example: 'failed' }),
    variant: optionalBoundedText(64, 'Only those that get this variant.', 'A'),
    ...byCursor(50, 200),
  }),
  answer: cursorPageOf(CampaignRecipient, 'CampaignRecipientPage', 'the recipients of a campaign', 'recipients', ''),
  errors: ['BAD_REQUEST'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});
