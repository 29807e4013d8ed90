import * as z from 'zod';
import { MAX_ADDRESS_LENGTH } from '../domain/core/email-address.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { RECORD_TYPES, SENDER_CHANNELS, SENDER_STATUSES } from '../domain/senders/sender.ts';
import { boundedText, closedObject, dateTime, flag, openObject, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const channel = z.enum(SENDER_CHANNELS).meta({ description: 'The channel that it sends on.', example: 'email' });
const record = openObject(
  'DnsRecord',
  'A DNS record of a domain: a CNAME signs its e-mails (DKIM), the TXT proves that the domain is the one of this registration.',
  {
    type: z.enum(RECORD_TYPES).meta({ description: 'The type of the record.', example: 'CNAME' }),
    name: text('The name to set.', 'q3x7abc._domainkey.loja.example'),
    value: text('Where a CNAME points to; the text of a TXT.', 'q3x7abc.dkim.amazonses.com'),
  },
);

const Sender = openObject('Sender', 'A name that the organization may send as.', {
  id: idSchema('sender'),
  channel,
  value: text('An e-mail address or domain, or a sender of SMS or RCS.', 'loja.example'),
  status: z.enum(SENDER_STATUSES).meta({
    description:
      '`verified`: sends may name it. `pending`: waiting for its proof, up to 72 hours. `rejected`: it was not proved.',
    example: 'pending',
  }),
  verification: z
    .object({ records: z.array(record).meta({ description: 'The records to set, all of them.' }) })
    .optional()
    .meta({
      description:
        "The proof of a domain. An address is proved by the link that is mailed to it, a sender of SMS or RCS by the operator's assignment.",
    }),
  isDefault: flag('True for the sender of messages that name none; at most one for each channel.', false),
  createdAt: dateTime('When it was registered.'),
});

const id = z.object({ id: pathId('sender', 'The id of the sender.') });
const tag = 'Senders';
const reads = { permission: 'senders:read', tag, uses: { table: 'read' } } as const;
/** Operations that call the e-mail provider. */
const callsProvider = {
  permission: 'senders:write',
  tag,
  uses: { table: 'write', queues: ['outcome'], rootKeys: ['providers'], awsProviders: ['ses_identities'] },
} as const;

export const listSenders = defineOperation({
  ...reads,
  id: 'senders.list',
  route: 'GET /v2/senders',
  summary: 'List senders, newest first',
  description: 'All of them: an organization has at most 100 in an environment.',
  answer: openObject('SenderList', 'The senders of the environment.', {
    items: z.array(Sender).meta({ description: 'The senders of the environment, newest first.' }),
  }),
});

export const createSender = defineOperation({
  ...callsProvider,
  id: 'senders.create',
  route: 'POST /v2/senders',
  summary: 'Register a sender',
  description:
    'For an e-mail domain the answer has the DNS records to set; the domain is verified, with its subdomains, once all are found; a link is mailed to an address. A sender of SMS or RCS stays pending until the operator assigns it. 409 for one that another organization has. In the test environment a sender is verified by its first use, or by the check operation. 412 if no e-mail provider is set up.',
  body: closedObject('CreateSender', 'A sender to register.', {
    channel,
    value: boundedText(
      MAX_ADDRESS_LENGTH,
      'E-mail: an address or a domain. SMS: a number, a short code, or 1 to 11 letters and digits. RCS: the id of an agent.',
      'loja.example',
    ),
  }),
  responses: { 201: Sender },
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'VALIDATION_ERROR'],
});

export const getSender = defineOperation({
  ...reads,
  id: 'senders.get',
  route: 'GET /v2/senders/{id}',
  summary: 'Read a sender',
  params: id,
  answer: Sender,
});

export const changeSender = defineOperation({
  id: 'senders.change',
  route: 'PATCH /v2/senders/{id}',
  tag,
  summary: 'Make a sender the default of its channel',
  description: 'It replaces the earlier default. 409 for a sender that is not verified; 422 for a domain.',
  permission: 'senders:write',
  params: id,
  body: closedObject('ChangeSender', 'The change.', {
    isDefault: flag('Whether messages that name no sender are sent as this one.', true),
  }),
  answer: Sender,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write' },
});

export const verifySender = defineOperation({
  ...callsProvider,
  id: 'senders.verify',
  route: 'POST /v2/senders/{id}/verify',
  summary: 'Check a sender now',
  description:
    'Checks with the e-mail provider whether the proof exists. A rejected sender is registered again: the records of a domain are checked again, and the link to an address is mailed again. A sender of SMS or RCS is answered as it is.',
  params: id,
  answer: Sender,
  errors: ['CONFLICT', 'PRECONDITION_FAILED'],
});

export const deleteSender = defineOperation({
  ...callsProvider,
  id: 'senders.delete',
  route: 'DELETE /v2/senders/{id}',
  summary: 'Delete a sender',
  description:
    'Sends that name it are refused within ten seconds. A sender that was verified stays reserved for the organization, so that no one else is verified by its DNS records.',
  params: id,
  responses: { 204: null },
  errors: ['PRECONDITION_FAILED'],
});
