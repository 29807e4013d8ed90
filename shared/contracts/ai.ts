import * as z from 'zod';
import { CHANNELS } from '../domain/channels/registry.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { metadataSchema } from '../domain/core/json-values.ts';
import { AI_ROLES } from '../domain/tracking/ai-turn.ts';
import { boundedText, dateTime, openObject, optionalBoundedText, optionalFlag } from './common.ts';
import { defineOperation } from './define-operation.ts';

const turnFields = {
  channel: z.enum(CHANNELS).meta({ description: 'The channel of the conversation.', example: 'whatsapp' }),
  model: boundedText(128, "The caller's name of the assistant's model.", 'atendente-2'),
  role: z.enum(AI_ROLES).meta({ description: 'Who spoke: the person (user) or the assistant.', example: 'assistant' }),
  text: optionalBoundedText(40_000, 'What was said.', 'Seu pedido chega amanhã.'),
  messageId: idSchema('message').optional(),
  metadata: metadataSchema.optional(),
};

/** A turn as responses show it. */
export const AiTurn = openObject('AiTurn', "A turn of a contact's conversation with the caller's own assistant.", {
  id: idSchema('aiTurn'),
  contactId: idSchema('contact'),
  ...turnFields,
  createdAt: dateTime('When it was reported.'),
});

const ReportTurn = z
  .strictObject({
    contactId: idSchema('contact').optional(),
    to: optionalBoundedText(4_096, "The contact's address on the channel, in place of contactId.", '+5511999990005'),
    ...turnFields,
  })
  .refine(({ contactId, to }) => (contactId === undefined) !== (to === undefined), {
    error: 'give either contactId or to',
    path: ['contactId'],
  })
  .meta({ id: 'ReportAiTurn', description: 'The stored turn.' });

export const reportAiTurn = defineOperation({
  id: 'ai.report',
  route: 'POST /v2/ai/interactions',
  tag: 'Assistants',
  summary: 'Report a turn of your own assistant',
  description:
    "Stores the turn in the contact's timeline and in that of the message that it names, and raises ai.interaction. Nothing is sent or charged. With an Idempotency-Key, a repeat returns the stored turn with `replayed: true`, and raises nothing. Without pii:full, at most 60 reports a minute may name the contact by `to`; then 429.",
  permission: 'messages:send',
  idempotency: 'optional',
  personFilters: ['to'],
  body: ReportTurn,
  responses: {
    201: openObject('ReportedAiTurn', 'The stored turn.', {
      ...AiTurn.shape,
      replayed: optionalFlag('True for a repeat of the key.', true),
    }),
  },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', queues: ['events'], rootKeys: ['recipients'] },
});
