import * as z from 'zod';
import { SMS_PROVIDERS, SMS_REASONS, SMS_STATUSES } from '../domain/channels/sms/content.ts';
import { route, smsFields } from '../domain/channels/sms/request.ts';
import { idSchema, looseId } from '../domain/core/id-schema.ts';
import {
  closedObject,
  count,
  dateTime,
  environment,
  openObject,
  optionalText,
  paged,
  pageOf,
  pathId,
  text,
} from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { billing, messageLabels, replayed, SYNCHRONOUS_SEND, sendLabels } from './sends.ts';

const encoding = z
  .enum(['GSM-7', 'UCS-2'])
  .meta({ description: 'The encoding of the text as it is sent.', example: 'GSM-7' });
const length = count('Billable characters of the text as it is sent.', 42);
const segments = count('Billable segments: 160 then 152 in GSM-7, 70 then 67 in UCS-2.', 1);
const cost = billing('The price of the whole message, summed segment by segment.');

/** docs/spec/sms.md#provider-receipt. */
const providerReceipt = openObject('SmsProviderReceipt', "The provider's last receipt.", {
  id: text("The provider's id of the message."),
  type: z
    .enum(['api_message', 'api_fast', 'api_reply'])
    .meta({ description: 'The kind of message that the receipt is about.' }),
  to: text('The recipient, masked without pii:full.'),
  message: optionalText("The provider's description."),
  reference: optionalText('Our id, as the provider repeats it.'),
  status: text("The provider's own status."),
  statusDescription: text("The provider's own description of the status; the status itself if there is none."),
  received: optionalText('When the provider reported it.'),
  bill_factor: z.number().optional().meta({ description: "The provider's count of billable parts." }),
  account_id: z.number().optional().meta({ description: "The provider's account." }),
  account_reference: optionalText("The provider's reference of the account."),
  channel: z
    .enum(['SMS', 'RCS', 'WHATSAPP'])
    .nullable()
    .optional()
    .meta({ description: 'The channel that carried it.' }),
});

const messageFields = {
  id: idSchema('message'),
  status: z.enum(SMS_STATUSES).meta({ description: 'The status of the message.', example: 'sent' }),
  env: environment,
  reason: z.enum(SMS_REASONS).optional().meta({ description: 'Why it failed or was not delivered.' }),
  route: route.optional(),
  to: text('The recipient in E.164; masked without pii:full.', '+55119****0005'),
  provider: z.enum(SMS_PROVIDERS).meta({ description: 'The provider that sends it.', example: 'sandbox_provider' }),
  createdAt: dateTime('When the message was accepted by the service.'),
  sentAt: dateTime('When the provider accepted it.').optional(),
  deliveredAt: dateTime('When it reached the device.').optional(),
  failedAt: dateTime('When it failed.').optional(),
  providerReceipt: providerReceipt.optional(),
  ...messageLabels,
};

/** An SMS in lists and reads: docs/spec/sms.md#sms-shape. */
export const SmsMessage = openObject('SmsMessage', 'An SMS in its current state.', {
  ...messageFields,
  encoding: encoding.optional(),
  length: length.optional(),
  segments: segments.optional(),
});

/** The response to a send: docs/spec/sms.md#sms-shape. */
export const SentSms = openObject('SentSms', 'The accepted SMS, with its price.', {
  ...messageFields,
  encoding,
  length,
  segments,
  billing: cost,
  replayed,
});

/** The body of a send: docs/spec/sms.md#sending-an-sms. */
export const SendSms = closedObject('SendSms', 'An SMS to send.', {
  to: smsFields.to,
  body: smsFields.body,
  senderId: smsFields.senderId,
  route,
  ...sendLabels,
  trackLinks: smsFields.trackLinks,
});

export const SmsReply = openObject('SmsReply', 'An inbound reply to an SMS.', {
  id: idSchema('reply'),
  env: environment,
  inReplyTo: idSchema('message', 'The SMS that it replies to.'),
  route: route.optional(),
  from: text('The sender of the reply, in E.164; masked without pii:full.'),
  body: text('The text of the reply.', 'Sim, pode entregar'),
  receivedAt: dateTime('When the provider received it.'),
  createdAt: dateTime('When it was stored.'),
});

export const PreviewSms = closedObject('PreviewSms', 'A text to count and, with a route, to price.', {
  body: smsFields.body,
  route: route.optional(),
  to: smsFields.to.optional().meta({
    description: 'The recipient whose destination is priced, in E.164; without it the price is that of Brazil.',
    example: '+351912345678',
  }),
});

export const SmsPreview = openObject('SmsPreview', 'Size and price of a text.', {
  body: text('The text that reaches the device.'),
  encoding,
  length,
  segments,
  billing: cost.optional(),
});

export const sendSms = defineOperation({
  ...SYNCHRONOUS_SEND,
  id: 'sms.send',
  route: 'POST /v2/sms/messages',
  tag: 'SMS',
  summary: 'Send an SMS',
  description:
    'Synchronous: responds once the provider accepted or refused. Delivery arrives by webhook as sms.delivered, sms.failed or sms.undelivered. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.',
  permission: 'sms:send',
  body: SendSms,
  responses: { 201: SentSms },
  uses: {
    table: 'write',
    queues: ['outcome', 'events'],
    rootKeys: SENDING_KEYS,
    awsProviders: ['end_user_messaging'],
    liveVolume: true,
  },
});

export const previewSms = defineOperation({
  id: 'sms.preview',
  route: 'POST /v2/sms/preview',
  tag: 'SMS',
  summary: 'Count and price a text without sending it',
  permission: 'sms:send',
  body: PreviewSms,
  answer: SmsPreview,
  errors: ['PRECONDITION_FAILED', 'VALIDATION_ERROR'],
  uses: { table: 'read', liveVolume: true },
});

const pageQuery = { ...paged(50, 200) };
const window = {
  from: dateTime('Only messages created at or after this time.').optional(),
  to: dateTime('Only messages created at or before this time.').optional(),
};

const reads = { tag: 'SMS', permission: 'sms:read', uses: { table: 'read' } } as const;

export const listSms = defineOperation({
  ...reads,
  id: 'sms.list',
  route: 'GET /v2/sms/messages',
  summary: 'List SMS, newest first',
  personFilters: ['phone'],
  query: z.strictObject({
    status: z.enum(SMS_STATUSES).optional().meta({ description: 'Only messages of this status.' }),
    region: z
      .enum(['BR', 'INTL'])
      .optional()
      .meta({ description: 'Only Brazilian (BR) or only other (INTL) recipients.' }),
    contactId: looseId('contact', z.string().max(128))
      .optional()
      .meta({ description: 'Only sends that named this contact.' }),
    campaignId: z.string().max(128).optional().meta({ description: 'Only messages with this campaign tag.' }),
    phone: z.string().max(64).optional().meta({
      description:
        'Only messages to this recipient, in E.164: without pii:full at most 60 calls in a burst and one more each second.',
    }),
    ...window,
    ...pageQuery,
  }),
  answer: pageOf(SmsMessage, 'SmsMessagePage', 'messages', 'SMS'),
  errors: ['VALIDATION_ERROR'],
  // A lookup draws from its credential's token bucket; totals store counts, and have long lists counted in the background.
  uses: { table: 'write', queues: ['outcome'], rootKeys: ['recipients'] },
});

export const getSms = defineOperation({
  ...reads,
  id: 'sms.get',
  route: 'GET /v2/sms/messages/{id}',
  summary: 'Read an SMS',
  description: 'The current state only: polling shows the same data as the webhook, but later.',
  params: z.object({ id: pathId('message', 'The id of the SMS.') }),
  answer: SmsMessage,
});

export const listSmsReplies = defineOperation({
  ...reads,
  id: 'sms.list-replies',
  route: 'GET /v2/sms/replies',
  summary: 'List inbound replies, newest first',
  query: z.strictObject({
    inReplyTo: looseId('message', z.string().max(128))
      .optional()
      .meta({ description: 'Only the replies to this SMS.' }),
    ...window,
    ...pageQuery,
  }),
  answer: pageOf(SmsReply, 'SmsReplyPage', 'replies'),
  errors: ['VALIDATION_ERROR'],
});

export const getSmsReply = defineOperation({
  ...reads,
  id: 'sms.get-reply',
  route: 'GET /v2/sms/replies/{id}',
  summary: 'Read one reply',
  params: z.object({ id: pathId('reply', 'The id of the reply.') }),
  answer: SmsReply,
});
