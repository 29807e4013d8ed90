import * as z from 'zod';
import { ADDRESS_LENGTH, MAILBOX_LENGTH, SUBJECT_LENGTH } from '../domain/email/address.ts';
import { EMAIL_REASONS, EMAIL_STATUSES } from '../domain/email/content.ts';
import { metadataSchema } from '../domain/json-values.ts';
import { dateTime, environment, idOf, limit, pageOf, pathId, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { billing, campaignId, replayed, SYNCHRONOUS_SEND } from './sends.ts';

const status = z.enum(EMAIL_STATUSES).meta({
  description:
    'queued, then sent once the provider accepted, then delivered, bounced or complained; failed is a refusal before leaving.',
  example: 'sent',
});
const to = z.string().meta({
  description: 'The recipient; masked without pii:full.',
  example: 's***@simulator.amazonses.com',
});

const acceptedFields = {
  id: idOf('message'),
  status,
  env: environment,
  to,
  from: z.string().meta({ description: 'The sender.', example: '"Loja Azul" <ola@loja.example>' }),
  subject: z.string().meta({ description: 'The subject.', example: 'Seu pedido saiu para entrega' }),
  bodyBytes: z.int().min(0).meta({
    description: 'UTF-8 bytes of the body as it left; the body itself is never stored or returned.',
    example: 1840,
  }),
  contactId: idOf('contact', 'The contact that the send named.').optional(),
  campaignId: campaignId.optional(),
  metadata: metadataSchema.optional(),
  sentAt: dateTime('When the provider accepted it.').optional(),
  createdAt: dateTime('When the e-mail was accepted by the service.'),
};

/** interface 2.6 as lists and reads answer it. */
export const EmailMessage = z
  .object({
    ...acceptedFields,
    organizationId: idOf('organization', 'The organization that sent it.'),
    reason: z.enum(EMAIL_REASONS).optional().meta({ description: 'Why it failed, bounced or was complained about.' }),
    deliveredAt: dateTime('When it reached the mailbox.').optional(),
    failedAt: dateTime('When it failed or bounced.').optional(),
    updatedAt: dateTime('When it last changed.'),
  })
  .meta({ id: 'EmailMessage', description: 'An e-mail in its current state.' });

/** interface 2.6, create response. */
export const SentEmail = z
  .object({
    ...acceptedFields,
    billing: billing('The price of the e-mail: fixed per recipient, without bands.'),
    replayed,
  })
  .meta({ id: 'SentEmail', description: 'The accepted e-mail, with its price.' });

const part = (description: string, example: string) => z.string().min(1).max(6_000_000).meta({ description, example });

/** interface 4.5, the send's body. */
export const SendEmail = z
  .strictObject({
    to: z
      .string()
      .max(ADDRESS_LENGTH)
      .meta({ description: 'The recipient, one address.', example: 'success@simulator.amazonses.com' }),
    subject: z.string().min(1).max(SUBJECT_LENGTH).optional().meta({
      description: "One line; above the template's own, and filled as that one.",
      example: 'Seu pedido saiu para entrega',
    }),
    templateId: idOf('emailTemplate', 'A saved template; its subject and body are used.').optional(),
    variables: z
      .record(z.string().min(1).max(64), z.union([z.string().max(10_000), z.number(), z.boolean()]))
      .optional()
      .meta({ description: "What stands in the place of the template's placeholders.", example: { nome: 'Ana' } }),
    html: part('The HTML part.', '<p>Seu pedido saiu para entrega.</p>').optional(),
    text: part('The plain-text part; made from html where it is absent.', 'Seu pedido saiu para entrega.').optional(),
    from: z.string().min(3).max(MAILBOX_LENGTH).optional().meta({
      description: "`address` or `Name <address>` of a verified sender; the organization's own where it is absent.",
      example: 'Loja Azul <ola@loja.example>',
    }),
    contactId: idOf('contact', 'The contact it is for; its opt-out decides.').optional(),
    campaignId: campaignId.optional(),
    metadata: metadataSchema.optional(),
    transactional: z.boolean().optional().meta({
      description:
        'True for passwords and orders: sent to who opted out as well, and without an unsubscribe header. Absent means communication.',
      example: true,
    }),
  })
  .meta({ id: 'SendEmail', description: 'An e-mail to send: html, text or both, or a template.' });

/** The same, as the unified operations ask for it: a template also by its name. */
export const SendEmailByName = SendEmail.extend({ templateId: z.string().min(1).max(512).optional() });

export const sendEmail = defineOperation({
  ...SYNCHRONOUS_SEND,
  id: 'email.send',
  path: '/v2/email/messages',
  tag: 'E-mail',
  summary: 'Send an e-mail',
  description:
    'Synchronous: answers once the provider accepted or refused; acceptance is not delivery. Delivery, bounce and complaint arrive by webhook as email.delivered, email.bounced and email.complained. A live address that bounced for good or complained is held back by the provider: for 14 days from then its e-mails, transactional ones too, are refused with 422 and `meta.motivo` suppressed, stored as failed and not charged. The same Idempotency-Key with the same body answers the first response with `replayed: true`; with another body, 409.',
  permission: 'email:send',
  request: { body: SendEmail },
  responses: { 201: SentEmail },
  uses: { table: 'write', queues: ['outcome', 'events'], vault: true, carriers: ['ses'] },
});

export const listEmails = defineOperation({
  id: 'email.list',
  method: 'GET',
  path: '/v2/email/messages',
  tag: 'E-mail',
  summary: 'List e-mails, newest first',
  description: 'Bodies are never returned.',
  permission: 'email:read',
  request: {
    query: z.strictObject({
      status: z.enum(EMAIL_STATUSES).optional().meta({ description: 'Only this status.' }),
      to: z.string().max(ADDRESS_LENGTH).optional().meta({ description: 'Only this recipient.' }),
      campaignId: z.string().max(128).optional().meta({ description: 'Only this campaign tag.' }),
      limit: limit(50, 200),
      skip,
    }),
  },
  responses: { 200: pageOf(EmailMessage, 'e-mails').meta({ id: 'EmailPage', description: 'A page of e-mails.' }) },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
  uses: { table: 'read', vault: true },
});

export const getEmail = defineOperation({
  id: 'email.get',
  method: 'GET',
  path: '/v2/email/messages/{id}',
  tag: 'E-mail',
  summary: 'Read an e-mail',
  description: 'The current state, without the body.',
  permission: 'email:read',
  request: { params: z.object({ id: pathId('The id of the e-mail.') }) },
  responses: { 200: EmailMessage },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  uses: { table: 'read' },
});
