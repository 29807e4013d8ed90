import * as z from 'zod';
import { CAMPAIGN_STATUSES, PAUSE_REASONS } from '../domain/campaigns/campaign.ts';
import { RECIPIENT_STATUSES } from '../domain/campaigns/recipients.ts';
import { CHANNELS } from '../domain/channels/registry.ts';
import { MAX_FREQUENCY } from '../domain/contacts/frequency.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import {
  boundedText,
  closedObject,
  coins,
  count,
  dateTime,
  flag,
  openObject,
  optionalText,
  part,
  text,
} from './common.ts';
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

/** The body of a send without recipient and schedule: docs/spec/campaigns.md#messages. */
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

export const campaignFields = {
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

export const CreateCampaign = closedObject(
  'CreateCampaign',
  'A campaign to create: with one message, or variants.',
  campaignFields,
);
export const UpdateCampaign = closedObject('UpdateCampaign', 'What changes of a campaign; null clears.', {
  name: name.optional(),
  message: Message.optional(),
  variants: variants.optional(),
  audience: Audience.optional(),
  scheduledAt: campaignFields.scheduledAt.nullable(),
  perMinute: campaignFields.perMinute.nullable(),
  maxCoins: campaignFields.maxCoins.nullable(),
  campaignTag: campaignFields.campaignTag.nullable(),
  frequencyCap: campaignFields.frequencyCap.nullable(),
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

export const Campaign = openObject('Campaign', 'A message to many people.', {
  id: idSchema('campaign'),
  status: z.enum(CAMPAIGN_STATUSES).meta({ description: 'Where it stands.', example: 'running' }),
  ...campaignFields,
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

export const CampaignPreview = openObject('CampaignPreview', 'What a campaign would do if it were started now.', {
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

export const CampaignRecipient = openObject('CampaignRecipient', 'A recipient of a campaign.', {
  contactId: idSchema('contact'),
  status: z.enum(RECIPIENT_STATUSES).meta({
    description: 'pending: not accepted yet. skipped: gets no message. Else what the message has reached.',
    example: 'delivered',
  }),
  variant: optionalText('The variant.', 'A'),
  messageId: idSchema('message').optional(),
  reason: optionalText('Why a skipped one gets no message.', 'opt_out'),
});
