import * as z from 'zod';
import { CAMPAIGN_STATUSES, PAUSE_REASONS } from '../domain/campaigns/campaign.ts';
import { RECIPIENT_STATUSES } from '../domain/campaigns/recipients.ts';
import { CHANNELS } from '../domain/channels/registry.ts';
import { MAX_FREQUENCY } from '../domain/contacts/frequency.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import {
  boundedText,
  byCursor,
  closedObject,
  coins,
  count,
  cursorPageOf,
  dateTime,
  flag,
  openObject,
  optionalBoundedText,
  optionalText,
  paged,
  pageOf,
  part,
  pathId,
  text,
} from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { campaignId } from './sends.ts';
import { channel, maxCoins, plainText, template, variables, waitText } from './v1.ts';

const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters')
  .meta({ description: 'The name of the campaign, for people.', example: 'Black Friday' });

const Fallback = z
  .union(
    [
      channel,
      z.strictObject({
        channel,
        text: plainText.optional(),
        template: template.optional(),
        variables: variables.optional(),
        after: waitText.optional(),
        maxCoins: maxCoins.optional(),
      }),
    ],
    { error: `must be one of ${CHANNELS.join(', ')}, or an object with such a channel` },
  )
  .meta({ id: 'CampaignFallback', description: 'A fallback of a campaign: as of a send, to the contact itself.' });

/** The body of a send without whom it goes to and when: docs/spec/campaigns.md#messages. */
const Message = z
  .strictObject({
    channel,
    text: plainText.optional(),
    template: template.optional(),
    variables: variables.optional(),
    fallback: z.array(Fallback).min(1).max(5).optional().meta({ description: 'Fallbacks, tried in order: at most 5.' }),
    fallback_after: waitText.optional(),
    maxCoins: maxCoins.optional(),
    metadata: metadataSchema.optional(),
  })
  .refine(({ text: said, template: saved }) => (said === undefined) !== (saved === undefined), {
    message: 'must be given, or template: one of both',
    path: ['text'],
  })
  .meta({
    id: 'CampaignMessage',
    description:
      'The body of `POST /v1/messages` without `to`, `contactId`, `scheduledAt`, `campaignId` and `priority`. Its texts and `variables` may hold `{{contact.name}}`, `{{contact.attributes.x}}` and a fallback word, `{{contact.name|friend}}`.',
  });

const variants = z
  .array(
    closedObject('CampaignVariant', 'One of the messages that the recipients are divided among.', {
      name: boundedText(64, 'The name of the variant.', 'A'),
      weight: z.int().min(1).max(1_000).meta({ description: 'Its share among the weights of all.', example: 50 }),
      message: Message,
    }),
  )
  .min(2)
  .max(5)
  .meta({ description: 'Messages that the recipients are divided among, by weight; in place of `message`.' });

const MAX_PARTS = 50;
const MAX_CONTACTS = 10_000;
const Audience = z
  .strictObject({
    listIds: z.array(idSchema('list')).max(MAX_PARTS).optional().meta({ description: 'Static lists.' }),
    segmentIds: z.array(idSchema('segment')).max(MAX_PARTS).optional().meta({ description: 'Segments.' }),
    contactIds: z
      .array(idSchema('contact'))
      .max(MAX_CONTACTS)
      .optional()
      .meta({
        description: `Contacts, at most ${MAX_CONTACTS.toLocaleString('en')}; those that there are not are nobody.`,
      }),
    excludeListIds: z.array(idSchema('list')).max(MAX_PARTS).optional().meta({
      description: 'Static lists whose contacts are not written to.',
    }),
    excludeSegmentIds: z.array(idSchema('segment')).max(MAX_PARTS).optional().meta({
      description: 'Segments whose contacts are not written to.',
    }),
  })
  .meta({
    id: 'CampaignAudience',
    description:
      'Who is written to: whoever is in any of the lists, segments and contacts, and in none of the excluded ones.',
  });

const frequencyCap = z
  .strictObject({
    messages: z.int().min(1).max(MAX_FREQUENCY.messages).meta({ description: 'At most so many.', example: 2 }),
    days: z.int().min(1).max(MAX_FREQUENCY.days).meta({ description: 'In so many times 24 hours.', example: 7 }),
  })
  .meta({
    description:
      'No more than so many messages of journeys and campaigns to a contact in so many days: a send that would be one more is deferred.',
  });

const fields = {
  name,
  message: Message.optional(),
  variants: variants.optional(),
  audience: Audience,
  scheduledAt: dateTime('When it starts, once it was started by its operation; at most 90 days ahead.').optional(),
  perMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'At most about so many recipients a minute.', example: 600 }),
  maxCoins: z
    .int()
    .min(1)
    .max(1_000_000_000_000)
    .optional()
    .meta({ description: 'It pauses where its messages would cost more coins than this.', example: 500_000 }),
  campaignTag: campaignId
    .optional()
    .meta({ description: "What its messages carry as `campaignId`; the campaign's id when absent." }),
  frequencyCap: frequencyCap.optional(),
};

const CreateCampaign = closedObject('CreateCampaign', 'A campaign to create: with one message, or variants.', fields);
const UpdateCampaign = closedObject('UpdateCampaign', 'What changes of a campaign; null clears.', {
  name: name.optional(),
  message: Message.optional(),
  variants: variants.optional(),
  audience: Audience.optional(),
  scheduledAt: fields.scheduledAt.nullable(),
  perMinute: fields.perMinute.nullable(),
  maxCoins: fields.maxCoins.nullable(),
  campaignTag: fields.campaignTag.nullable(),
  frequencyCap: fields.frequencyCap.nullable(),
});

const progress = part('Its recipients, and what became of their messages.', {
  total: count('Recipients, as its start found them.', 1_250),
  queued: count('Messages that were accepted and have not left.', 40),
  sent: count('Messages that left.', 1_160),
  delivered: count('Messages that were delivered.', 1_144),
  read: count('Messages that were read.', 733),
  clicked: count('Messages of which a link was followed.', 96),
  failed: count('Messages that failed.', 16),
  skipped: count('Recipients who get no message.', 50),
});

const Campaign = openObject('Campaign', 'A message to many people.', {
  id: idSchema('campaign'),
  status: z.enum(CAMPAIGN_STATUSES).meta({ description: 'Where it stands.', example: 'running' }),
  ...fields,
  progress,
  coins: part('What its messages cost.', {
    captured: coins('What left.'),
    held: coins('What was accepted and has not left.'),
  }),
  pausedBy: part('Why it stands still.', {
    reason: z.enum(PAUSE_REASONS).meta({ description: 'What paused it.', example: 'insufficient_funds' }),
    at: dateTime('When.'),
  }).optional(),
  startedAt: dateTime('When its audience was taken.').optional(),
  completedAt: dateTime('When all of its messages had an end.').optional(),
  cancelledAt: dateTime('When it was cancelled.').optional(),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed.'),
});

const Preview = openObject('CampaignPreview', 'What a campaign would do if it were started now.', {
  reach: count('Recipients.', 1_250),
  excluded: part('Contacts of the audience who are not written to, each counted once.', {
    optedOut: count('Opted out.', 31),
    noAddress: count('Without an address on the channel.', 4),
    sameAddress: count("With an address that is another recipient's, too.", 2),
    frequencyCap: count('Held back by the frequency cap for longer than it waits.', 0),
    suppressed: count('With an e-mail address that is suppressed.', 3),
  }),
  price: part('What it would cost.', { coins: coins('The price of all messages.') }),
  wallet: part('The wallet of the environment.', { balanceCoins: coins('What can be spent.') }),
  enough: flag('Whether the balance covers the price.', true),
  byCountry: z
    .record(z.string(), part('A country.', { recipients: count('Recipients.', 1_200), coins: coins('Their price.') }))
    .meta({ description: 'Of messages to phones, by the country of the number (ISO 3166).' }),
  samples: z
    .array(
      part('A message as it would read.', {
        contactId: idSchema('contact'),
        channel: z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' }),
        to: text('The recipient; masked without pii:full.', '+55119****0005'),
        variant: optionalText('The variant.', 'A'),
        text: optionalText('The text.', 'Oi Ana!'),
        template: optionalText('The template.'),
        variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      }),
    )
    .meta({ description: 'At most three.' }),
  estimated: flag(
    'Whether price, countries and what the cap holds back are of a sample: of more than 500 recipients they are.',
    false,
  ),
});

const Recipient = openObject('CampaignRecipient', 'A recipient of a campaign.', {
  contactId: idSchema('contact'),
  status: z.enum(RECIPIENT_STATUSES).meta({
    description: 'pending: not accepted yet. skipped: gets no message. Else what the message has reached.',
    example: 'delivered',
  }),
  variant: optionalText('The variant.', 'A'),
  messageId: idSchema('message').optional(),
  reason: optionalText('Why a skipped one gets no message.', 'opt_out'),
});

const params = z.object({ id: pathId('campaign', 'The id of the campaign.') });
const tag = 'Campaigns';
const reads = { permission: 'campaigns:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'campaigns:write', tag } as const;
/** Who selects an audience plans its messages, and stores what the index was found to hold. */
const selects = { table: 'write', rootKeys: SENDING_KEYS, liveVolume: true } as const;
/** The audience of a million contacts is a second or two of work, and some megabytes. */
const large = { memoryMb: 1769, timeoutSeconds: 28 } as const;
const moves = { ...writes, params, answer: Campaign, errors: ['CONFLICT'] } as const;
const changes = { table: 'write', queues: ['bulk', 'events'] } as const;

export const createCampaign = defineOperation({
  ...writes,
  id: 'campaigns.create',
  route: 'POST /v2/campaigns',
  summary: 'Create a campaign',
  description:
    'As a draft: nothing is sent before it is started. Braces that are not closed, and unknown placeholders, are 422 by their place.',
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
    status: z.enum(CAMPAIGN_STATUSES).optional().meta({ description: 'Only those that stand so.', example: 'running' }),
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
    'Only a draft or a scheduled one. Absent fields stay; null clears. A `message` takes the place of `variants`, and the reverse.',
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
  description: 'Only a draft or a scheduled one.',
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
  description: 'Stores, sends and charges nothing. Whom it reaches is exact.',
  params,
  answer: Preview,
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
    'Takes its audience as it is now; at `scheduledAt`, where that is ahead. One that runs is answered as it is.',
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { ...selects, queues: ['bulk', 'events'] },
});

export const pauseCampaign = defineOperation({
  ...moves,
  id: 'campaigns.pause',
  route: 'POST /v2/campaigns/{id}/pause',
  summary: 'Pause a campaign',
  description: 'Messages that were accepted leave; nobody else is sent to.',
  uses: changes,
});

export const resumeCampaign = defineOperation({
  ...moves,
  ...large,
  id: 'campaigns.resume',
  route: 'POST /v2/campaigns/{id}/resume',
  summary: 'Let a paused campaign go on',
  description: 'With exactly those who have no message.',
  body: closedObject('ResumeCampaign', 'What changes with it; may be absent.', { maxCoins: fields.maxCoins }),
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { ...selects, queues: ['bulk', 'events'] },
});

export const cancelCampaign = defineOperation({
  ...moves,
  id: 'campaigns.cancel',
  route: 'POST /v2/campaigns/{id}/cancel',
  summary: 'Cancel a campaign',
  description: 'What has not left is cancelled soon after, and its money released.',
  uses: changes,
});

export const listCampaignRecipients = defineOperation({
  ...reads,
  id: 'campaigns.recipients',
  route: 'GET /v2/campaigns/{id}/recipients',
  summary: "List a campaign's recipients",
  description:
    'In the order in which they joined the organization. A page looks at 1,000 recipients at most, and may have fewer than its limit.',
  params,
  query: z.strictObject({
    status: z.enum(RECIPIENT_STATUSES).optional().meta({ description: 'Only those that stand so.', example: 'failed' }),
    variant: optionalBoundedText(64, 'Only those who get this variant.', 'A'),
    ...byCursor(50, 200),
  }),
  answer: cursorPageOf(Recipient, 'CampaignRecipientPage', 'the recipients of a campaign', 'recipients', ''),
  errors: ['BAD_REQUEST'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});
