import * as z from 'zod';
import { CONTACT_STEP_KINDS } from '../domain/api/contact-timeline.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { AiTurn } from './ai.ts';
import { byCursor, cursorPageOf, dateTime, openObject, pathId, text } from './common.ts';
import { CustomerEvent } from './customer-events.ts';
import { defineOperation } from './define-operation.ts';

const ContactStep = openObject('ContactTimelineStep', "An entry of a contact's timeline.", {
  at: dateTime('When it was stored; for an event, when it happened.'),
  kind: z.enum(CONTACT_STEP_KINDS).meta({
    description:
      'A message to the contact, one from it, a turn of an assistant, or what the customer did outside of messages.',
    example: 'sent',
  }),
  detail: text('What it is, without its text.', 'sms: delivered'),
  messageId: idSchema('message').optional(),
  turn: AiTurn.optional(),
  event: CustomerEvent.optional(),
});

export const getContactTimeline = defineOperation({
  id: 'contacts.timeline',
  route: 'GET /contacts/{id}/timeline',
  tag: 'Contacts',
  summary: "Read a contact's timeline, newest first",
  description:
    'The messages that named the contact, its inbound messages, the reported turns of assistants, and its customer events, each with its attribution. The list ends where `nextCursor` is absent.',
  permission: 'contacts:read',
  params: z.object({ id: pathId('contact', 'The id of the contact.') }),
  query: z.strictObject({ ...byCursor(50, 100) }),
  answer: cursorPageOf(ContactStep, 'ContactTimeline', "a contact's timeline", 'entries'),
  uses: { table: 'read', rootKeys: ['cursors'] },
});
