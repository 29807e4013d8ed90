import * as z from 'zod';
import { CAMPAIGN_STATUSES, PAUSE_REASONS } from '../domain/campaigns/campaign.ts';
import { RECIPIENT_STATUSES } from '../domain/campaigns/recipients.ts';
import { CHANNELS } from '../domain/channels/registry.ts';
import { MAX_FREQUENCY } from '../domain/contacts/frequency.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { closedObject, coins, count, dateTime, flag, oneLine, openObject, optionalText, part, text } from './common.ts';
import { campaignId } from './sends.ts';
import {
  channel,
  hasOneContent,
  maxCoins,
  ONE_CONTENT,
  plainText,
  template,
  variables,
  waitText,
} from './v1-fields.ts';

const name = oneLine(200, 'The name of the campaign, for people.', 'Black Friday');

const Fallback = z
  .union(
    [
      channel,
      z
        .strictObject({
          channel,
          text: plainText.optional(),
          template: template.optional(),
          variables: variables.optional(),
          after: waitText.optional(),
          maxCoins: maxCoins.optional(),
        })
        .refine(hasOneContent, ONE_CONTENT),
    ],
    { error: `must be one of ${CHANNELS.join(', ')}, or an object with such a channel` },
  )
  .meta({
    id: 'CampaignFallback',
    description: 'A fallback of a campaign: like that of a send, but to the contact itself.',
  });

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
    message: 'must be given, or template: exactly one of the two',
    path: ['text'],
  })
  .meta({
    id: 'CampaignMessage',
    description:
      'The body of `POST /v1/messages` without `to`, `contactId`, `scheduledAt`, `campaignId` and `priority`. Its texts and `variables` may contain `{{contact.name}}`, `{{contact.attributes.x}}` and a fallback word, `{{contact.name|friend}}`.',
  });

const variants = z
  .array(
    closedObject('CampaignVariant', 'One of the messages that the recipients are divided among.', {
      name: oneLine(64, 'The name of the variant.', 'A'),
      weight: z
        .int()
        .min(1)
        .max(1_000)
        .meta({ description: 'Its weight; its share is the weight divided by the sum of all weights.', example: 50 }),
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
        description: `Contacts, at most ${MAX_CONTACTS.toLocaleString('en')}; those that do not exist are ignored.`,
      }),
    excludeListIds: z.array(idSchema('list')).max(MAX_PARTS).optional().meta({
      description: 'Static lists whose contacts get no message.',
    }),
    excludeSegmentIds: z.array(idSchema('segment')).max(MAX_PARTS).optional().meta({
      description: 'Segments whose contacts get no message.',
    }),
  })
  .meta({
    id: 'CampaignAudience',
    description:
      'The recipients: the contacts in any of the lists, segments and contacts, and in none of the excluded ones.',
  });

const frequencyCap = z
  .strictObject({
    messages: z.int().min(1).max(MAX_FREQUENCY.messages).meta({ description: 'At most so many.', example: 2 }),
    days: z.int().min(1).max(MAX_FREQUENCY.days).meta({ description: 'The period in days of 24 hours.', example: 7 }),
  })
  .meta({
    description:
      'The maximum number of messages of journeys and campaigns to a contact in a number of days: a send above it is deferred.',
  });

export const campaignFields = {
  name,
  message: Message.optional(),
  variants: variants.optional(),
  audience: Audience,
  scheduledAt: dateTime('When it starts, after the start operation was called; at most 90 days ahead.').optional(),
  perMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ description: 'The approximate maximum of recipients a minute.', example: 600 }),
  maxCoins: z
    .int()
    .min(1)
    .max(1_000_000_000_000)
    .optional()
    .meta({ description: 'It pauses if its messages would cost more coins than this.', example: 500_000 }),
  campaignTag: campaignId
    .optional()
    .meta({ description: "The `campaignId` of its messages; the campaign's id when absent." }),
  frequencyCap: frequencyCap.optional(),
};

export const CreateCampaign = closedObject(
  'CreateCampaign',
  'A campaign to create: with one message, or variants.',
  campaignFields,
);
export const UpdateCampaign = closedObject('UpdateCampaign', 'The changes to a campaign; null clears.', {
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

const progress = part('Its recipients, and the results of their messages.', {
  total: count('The recipients at its start.', 1_250),
  queued: count('Messages that were accepted and not sent yet.', 40),
  sent: count('Messages that were sent.', 1_160),
  delivered: count('Messages that were delivered.', 1_144),
  read: count('Messages that were read.', 733),
  clicked: count('Messages of which a link was followed.', 96),
  failed: count('Messages that failed; not those that were cancelled unsent, which are in `total` alone.', 16),
  skipped: count('Recipients that get no message.', 50),
});

export const Campaign = openObject('Campaign', 'A message to many people.', {
  id: idSchema('campaign'),
  status: z.enum(CAMPAIGN_STATUSES).meta({ description: 'Where it stands.', example: 'running' }),
  ...campaignFields,
  progress,
  coins: part('What its messages cost.', {
    captured: coins('What left.'),
    held: coins('The price of accepted messages that were not sent yet.'),
  }),
  pausedBy: part('Why it is paused.', {
    reason: z.enum(PAUSE_REASONS).meta({ description: 'What paused it.', example: 'insufficient_funds' }),
    at: dateTime('When.'),
  }).optional(),
  startedAt: dateTime('When the snapshot of its audience was taken.').optional(),
  completedAt: dateTime('When all of its messages had a final status.').optional(),
  cancelledAt: dateTime('When it was cancelled.').optional(),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed.'),
});

export const CampaignPreview = openObject('CampaignPreview', 'What a campaign would do if it were started now.', {
  reach: count('Recipients.', 1_250),
  excluded: part('Contacts of the audience that get no message, each counted once.', {
    optedOut: count('Opted out.', 31),
    noAddress: count('Without an address on the channel.', 4),
    sameAddress: count('With an address that another recipient has too.', 2),
    frequencyCap: count(
      'Held back by the frequency cap for longer than the campaign waits: 72 hours. Those that it only delays are recipients.',
      0,
    ),
    suppressed: count('With an e-mail address that is suppressed.', 3),
    maxCoins: count("Whose message would cost more than the message's `maxCoins`, if it has one.", 0).optional(),
  }),
  price: part('What it would cost.', { coins: coins('The price of all messages.') }),
  wallet: part('The wallet of the environment.', { balanceCoins: coins('The amount that can be spent.') }),
  enough: flag('Whether the balance covers the price.', true),
  byCountry: z
    .record(z.string(), part('A country.', { recipients: count('Recipients.', 1_200), coins: coins('Their price.') }))
    .meta({ description: 'Of messages to phones, by the country of the number (ISO 3166).' }),
  samples: z
    .array(
      part('A message as it would be sent.', {
        contactId: idSchema('contact'),
        channel: z.enum(CHANNELS).meta({ description: 'The channel.', example: 'sms' }),
        to: text('The recipient; masked unless the caller has both pii:full and contacts:read.', '+55119****0005'),
        variant: optionalText('The variant.', 'A'),
        subject: optionalText('The subject of a template of an e-mail.', 'Seu pedido saiu para entrega'),
        text: optionalText(
          'The text: of a template, its body with the values filled in; at most 100,000 characters.',
          'Oi Ana!',
        ),
        template: optionalText('The template.'),
        variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      }),
    )
    .meta({ description: 'At most three. Without contacts:read no field of the contact is filled in.' }),
  estimated: flag(
    'Whether price, countries and the recipients skipped at the send, for the cap or `maxCoins`, are estimated from a sample: true for more than 500 recipients.',
    false,
  ),
});

export const CampaignRecipient = openObject('CampaignRecipient', 'A recipient of a campaign.', {
  contactId: idSchema('contact'),
  status: z.enum(RECIPIENT_STATUSES).meta({
    description: 'pending: not accepted yet. skipped: gets no message. Else the status of the message.',
    example: 'delivered',
  }),
  variant: optionalText('The variant.', 'A'),
  messageId: idSchema('message').optional(),
  reason: optionalText('Why a skipped recipient gets no message.', 'opt_out'),
});
