import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { EXPORT_CHANNELS } from '../domain/exports/export-row.ts';
import { byCursor, count, dateTime, openObject, optionalText, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const channel = z.enum(EXPORT_CHANNELS);

const ExportRow = openObject('ExportRow', 'A message as a row of an export.', {
  id: idSchema('message'),
  channel: channel.meta({ description: 'The channel.', example: 'whatsapp' }),
  direction: z.enum(['outbound', 'inbound']).meta({ description: 'Sent or received.', example: 'outbound' }),
  to: text(
    'The recipient; of an inbound message the address that it was sent to. Masked without pii:full.',
    '+55119****0005',
  ),
  status: text('The status, in the words common to all channels.', 'delivered'),
  createdAt: dateTime('When it was accepted, or received: the order of the export.'),
  campaignId: optionalText("The caller's own campaign tag.", 'black-friday'),
  contactId: idSchema('contact', 'The contact that it named, or that wrote it.').optional(),
  contactExternalId: optionalText("The caller's own id of the contact, currently.", 'cliente-77'),
  metadata: metadataSchema.optional(),
  sentAt: dateTime('When the provider accepted it; of an inbound message when it was sent.').optional(),
  deliveredAt: dateTime('When it reached its recipient.').optional(),
  readAt: dateTime('When it was read.').optional(),
  failedAt: dateTime('When it failed.').optional(),
  reason: optionalText('Why it failed: a reason of the channel.'),
  segments: count('How many segments an SMS has.', 1).optional(),
  deliveredVia: z
    .enum(['rcs', 'sms'])
    .optional()
    .meta({ description: 'The channel that carried an RCS message.', example: 'rcs' }),
  subject: optionalText('The subject of an e-mail.'),
});

const page = openObject('ExportPage', 'A page of an export.', {
  items: z.array(ExportRow).meta({ description: 'The messages of this page, newest first.' }),
  nextCursor: z.string().nullable().meta({ description: 'Pass it as cursor for the next page; null at the end.' }),
});

const window = {
  from: dateTime('Messages created at or after this time.'),
  to: dateTime('Messages created at or before this time: at most 31 days after from.'),
  ...byCursor(500, 1_000),
};
const description =
  'Sent and received, newest first, at most 31 days in a query. A page costs the same however long the export is; a page with much metadata has fewer messages than `limit`. With `Accept: text/csv` the rows are CSV, and the next page is in the `Link` header.';

const exported = {
  tag: 'Exports',
  description,
  permission: 'messages:read',
  answer: page,
  alternative: { contentType: 'text/csv', description: 'The same rows as CSV.' },
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'read', rootKeys: ['cursors'] },
  memoryMb: 1024,
} as const;

export const exportWhatsapp = defineOperation({
  ...exported,
  id: 'exports.whatsapp',
  route: 'GET /v2/exports/whatsapp',
  summary: 'Export the WhatsApp messages of a period',
  query: z.strictObject(window),
});

export const exportMessages = defineOperation({
  ...exported,
  id: 'exports.messages',
  route: 'GET /v2/exports/messages',
  summary: 'Export the messages of a channel and a period',
  query: z.strictObject({ channel: channel.meta({ description: 'The channel.', example: 'sms' }), ...window }),
});
