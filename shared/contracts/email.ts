import * as z from 'zod';
import { EMAIL_REASONS, EMAIL_STATUSES } from '../domain/channels/email/content.ts';
import { emailFields } from '../domain/channels/email/request.ts';
import { MAX_ADDRESS_LENGTH } from '../domain/core/email-address.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { closedObject, count, dateTime, environment, openObject, paged, pageOf, pathId, text } from './common.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { billing, messageLabels, replayed, SYNCHRONOUS_SEND, sendLabels } from './sends.ts';

const status = z.enum(EMAIL_STATUSES).meta({
  description:
    'queued, then sent once the provider accepted, then delivered, bounced or complained; failed: refused before it was sent.',
  example: 'sent',
});
const to = text('The recipient; masked without pii:full.', 's***@simulator.amazonses.com');

const acceptedFields = {
  id: idSchema('message'),
  status,
  env: environment,
  to,
  from: text('The sender.', '"Loja Azul" <ola@loja.example>'),
  subject: text('The subject.', 'Seu pedido saiu para entrega'),
  bodyBytes: count('UTF-8 bytes of the body as it was sent; the body itself is never stored or returned.', 1840),
  ...messageLabels,
  sentAt: dateTime('When the provider accepted it.').optional(),
  createdAt: dateTime('When the e-mail was accepted by the service.'),
};

/** An e-mail in lists and reads: docs/spec/email.md#e-mail-shape. */
export const EmailMessage = openObject('EmailMessage', 'An e-mail in its current state.', {
  ...acceptedFields,
  organizationId: idSchema('organization', 'The organization that sent it.'),
  reason: z.enum(EMAIL_REASONS).optional().meta({ description: 'Why it failed, bounced or was complained about.' }),
  deliveredAt: dateTime('When it reached the mailbox.').optional(),
  failedAt: dateTime('When it failed or bounced.').optional(),
  updatedAt: dateTime('When it last changed.'),
});

/** The response to a send: docs/spec/email.md#e-mail-shape. */
export const SentEmail = openObject('SentEmail', 'The accepted e-mail, with its price.', {
  ...acceptedFields,
  billing: billing('The price of the e-mail: fixed per recipient, without bands.'),
  replayed,
});

/** The body of a send: docs/spec/email.md#sending-e-mail. */
export const SendEmail = closedObject('SendEmail', 'An e-mail to send: html, text or both, or a template.', {
  to: emailFields.to,
  subject: emailFields.subject,
  templateId: idSchema('emailTemplate', 'A saved template; its subject and body are used.').optional(),
  variables: emailFields.variables,
  html: emailFields.html,
  text: emailFields.text,
  from: emailFields.from,
  ...sendLabels,
  transactional: emailFields.transactional,
});

export const sendEmail = defineOperation({
  ...SYNCHRONOUS_SEND,
  id: 'email.send',
  route: 'POST /v2/email/messages',
  tag: 'E-mail',
  summary: 'Send an e-mail',
  description:
    'Synchronous: responds once the provider accepted or refused; acceptance is not delivery. Delivery, bounce and complaint arrive by webhook as email.delivered, email.bounced and email.complained. A live address that bounced permanently or complained is suppressed by the provider: for 14 days from then its e-mails, transactional ones too, are refused with 422 and `meta.motivo` suppressed, stored as failed and not charged. The same Idempotency-Key with the same body returns the first response with `replayed: true`; with another body, 409.',
  permission: 'email:send',
  body: SendEmail,
  responses: { 201: SentEmail },
  uses: { table: 'write', queues: ['outcome', 'events'], rootKeys: SENDING_KEYS, awsProviders: ['ses'] },
});

const reads = { tag: 'E-mail', permission: 'email:read', uses: { table: 'read' } } as const;

export const listEmails = defineOperation({
  ...reads,
  id: 'email.list',
  route: 'GET /v2/email/messages',
  summary: 'List e-mails, newest first',
  personFilters: ['to'],
  description: 'Bodies are never returned.',
  query: z.strictObject({
    status: z.enum(EMAIL_STATUSES).optional().meta({ description: 'Only e-mails with this status.' }),
    to: z.string().max(MAX_ADDRESS_LENGTH).optional().meta({
      description:
        'Only e-mails to this recipient: without pii:full at most 60 calls in a burst and one more each second.',
    }),
    campaignId: z.string().max(128).optional().meta({ description: 'Only e-mails with this campaign tag.' }),
    ...paged(50, 200),
  }),
  answer: pageOf(EmailMessage, 'EmailPage', 'e-mails'),
  // A lookup draws from its credential's token bucket; totals store counts, and have long lists counted in the background.
  uses: { table: 'write', queues: ['outcome'], rootKeys: ['recipients'] },
});

export const getEmail = defineOperation({
  ...reads,
  id: 'email.get',
  route: 'GET /v2/email/messages/{id}',
  summary: 'Read an e-mail',
  description: 'The current state, without the body.',
  params: z.object({ id: pathId('message', 'The id of the e-mail.') }),
  answer: EmailMessage,
});
