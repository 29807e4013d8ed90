import * as z from 'zod';
import { OPT_IN_STATUSES } from '../domain/contacts/contact.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { Activity } from './activities.ts';
import { AiTurn } from './ai.ts';
import { Card } from './card-fields.ts';
import {
  byCursor,
  count,
  cursorPageOf,
  dateTime,
  flag,
  nextCursor,
  openObject,
  optionalText,
  part,
  text,
} from './common.ts';
import { ContactRead, contactParams as params } from './contacts.ts';
import { CustomerEvent } from './customer-events.ts';
import { defineOperation } from './define-operation.ts';
import { Message } from './message-shapes.ts';
import { PushDevice } from './push-devices.ts';

const ConsentChange = openObject('ConsentChange', "A change to a contact's consent.", {
  at: dateTime('When consent was given or withdrawn.'),
  status: z.enum(OPT_IN_STATUSES).meta({ description: 'The consent from then on.', example: 'granted' }),
  source: optionalText('Where consent was given.', 'checkout'),
  ip: optionalText('The IP address that consent came from.', '203.0.113.7'),
  userAgent: optionalText('The browser or app that consent came from.', 'Mozilla/5.0'),
  reason: optionalText('Why consent was withdrawn.', 'asked by phone'),
});

export const listConsents = defineOperation({
  id: 'contacts.consents',
  route: 'GET /contacts/{id}/consents',
  tag: 'Contacts',
  summary: "List the changes of a contact's consent, newest first",
  description: 'Each with its proof or its reason. The list ends where `nextCursor` is absent.',
  permission: 'contacts:read',
  params,
  query: z.strictObject({ ...byCursor(50, 200) }),
  answer: cursorPageOf(ConsentChange, 'ConsentPage', "the changes of a contact's consent", 'changes'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const exportContact = defineOperation({
  id: 'contacts.export',
  route: 'GET /contacts/{id}/export',
  tag: 'Contacts',
  summary: 'Export the data of a contact',
  description:
    'For a person who asks for their data: everything unmasked except documents, which are masked; also messages to and from its phone and address that named no contact. A page may have fewer items than `limit` and still a next one. The first page is recorded in the audit log. The export ends where `nextCursor` is absent.',
  permission: 'pii:full',
  params,
  query: z.strictObject({ ...byCursor(100, 200) }),
  answer: openObject('ContactExport', 'A page of the data of a contact.', {
    contact: ContactRead,
    consents: z.array(ConsentChange).optional().meta({ description: 'On the first page: every change of consent.' }),
    devices: z.array(PushDevice).optional().meta({ description: 'On the first page: the push devices.' }),
    lists: z
      .array(part('A list.', { id: idSchema('list'), name: text('The name of the list.', 'Clientes VIP') }))
      .optional()
      .meta({ description: 'On the first page: the static lists that have the contact.' }),
    cards: z
      .array(Card)
      .optional()
      .meta({ description: 'On the first page: its newest 500 cards; `GET /contacts/{id}/cards` has all.' }),
    activities: z
      .array(Activity)
      .optional()
      .meta({ description: 'On the first page: its first 500 activities; `GET /activities` has all.' }),
    segments: z
      .array(
        part('A segment.', {
          id: idSchema('segment'),
          name: optionalText('The name of the segment; absent for one that was deleted.', 'Vips'),
          member: flag('Whether the contact is in it now.', true),
          since: dateTime('When it last entered or left, if known.').optional(),
        }),
      )
      .optional()
      .meta({ description: 'On the first page: the segments that have the contact, and those that it left.' }),
    sent: z
      .array(part('An hour.', { hour: dateTime('When the hour began.'), messages: count('How many messages.', 2) }))
      .optional()
      .meta({ description: 'On the first page: the sends to the contact that frequency caps count, by the hour.' }),
    items: z
      .array(
        part('A message, a turn or an event.', {
          message: Message.optional(),
          turn: AiTurn.optional(),
          event: CustomerEvent.optional(),
        }),
      )
      .meta({ description: 'The messages, turns and customer events of this page, newest first.' }),
    nextCursor,
  }),
  uses: { table: 'write', rootKeys: ['contacts', 'cursors', 'push'] },
});
