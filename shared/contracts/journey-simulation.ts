import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { contactAttributesSchema } from '../domain/core/json-values.ts';
import { closedObject, pathId } from './common.ts';
import { email, externalId, name, phone, status, tags } from './contact-fields.ts';
import { defineOperation, SENDING_KEYS } from './define-operation.ts';
import { JourneySimulation, simulationFields } from './journey-run-shapes.ts';

const SimulateJourney = closedObject('SimulateJourney', 'What to simulate.', {
  contactId: idSchema('contact', 'A contact; needs `contacts:read` as well.').optional(),
  contato: closedObject('SimulatedContact', 'A contact that is not stored.', {
    name: name.optional(),
    phone: phone.optional(),
    email: email.optional(),
    externalId: externalId.optional(),
    attributes: contactAttributesSchema.optional(),
    tags: tags.optional(),
    optIn: closedObject('SimulatedConsent', 'Its consent.', { status }).optional(),
  }).optional(),
  ...simulationFields,
}).refine(({ contactId, contato }) => (contactId === undefined) !== (contato === undefined), {
  message: 'must be given, or contato: exactly one of the two',
  path: ['contactId'],
});

export const simulateJourney = defineOperation({
  id: 'journeys.simulate',
  route: 'POST /v2/journeys/{id}/simulate',
  tag: 'Journeys',
  summary: 'Simulate a version of a journey for a contact',
  description:
    'On a clock of its own: every step with its time, each message as it would be sent and its current price, and the end. Nothing is stored, sent or charged. Without pii:full the phone and the e-mail address of the contact are masked in texts.',
  permission: 'campaigns:read',
  params: z.object({ id: pathId('journey', 'The id of a version of the journey.') }),
  body: SimulateJourney,
  answer: JourneySimulation,
  errors: ['VALIDATION_ERROR'],
  uses: {
    table: 'read',
    rootKeys: [...SENDING_KEYS, 'webhooks'],
    liveVolume: true,
  },
});
