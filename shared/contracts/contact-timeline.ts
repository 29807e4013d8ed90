import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { CONTACT_STEP_KINDS } from '../domain/tracking/contact-timeline.ts';
import { AiTurn } from './ai.ts';
import { cursor, dateTime, limit, nextCursor, openObject, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';

const ContactStep = openObject('ContactTimelineStep', "An entry of a contact's timeline.", {
  at: dateTime('When it was stored.'),
  kind: z.enum(CONTACT_STEP_KINDS).meta({
    description: 'A message to the contact, one from it, or a turn of an assistant.',
    example: 'sent',
  }),
  detail: text('What it is, without its text.', 'sms: delivered'),
  messageId: idSchema('message').optional(),
  turn: AiTurn.optional(),
});

export const getContactTimeline = defineOperation({
  id: 'contacts.timeline',
  method: 'GET',
  path: '/contacts/{id}/timeline',
  tag: 'Contacts',
  summary: "Read a contact's timeline, newest first",
  description:
    'The messages that named the contact, what it wrote, and the turns of assistants that were reported. The list ends where `nextCursor` is absent.',
  permission: 'contacts:read',
  request: {
    params: z.object({ id: pathId('contact', 'The id of the contact.') }),
    query: z.strictObject({ limit: limit(50, 100), cursor }),
  },
  responses: {
    200: openObject('ContactTimeline', "A page of a contact's timeline.", {
      items: z.array(ContactStep).meta({ description: 'The entries of this page, newest first.' }),
      nextCursor,
    }),
  },
  errors: ['NOT_FOUND'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});
