import * as z from 'zod';
import { MAX_JOURNEYS } from '../domain/journeys/limits.ts';
import { closedObject, openObject, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { ChangeJourney, CreateJourney } from './journey-fields.ts';
import { DefinedJourney, Journey, JourneyRow, RotatedJourneySecret } from './journey-shapes.ts';

const tag = 'Journeys';
const params = z.object({ id: pathId('journey', 'The id of a version of the journey.') });
// Values of headers of webhook steps are sealed.
const rootKeys = ['webhooks'] as const;
const reads = { permission: 'campaigns:read', tag, uses: { table: 'read', rootKeys } } as const;
const writes = { permission: 'campaigns:write', tag, uses: { table: 'write', rootKeys } } as const;
const WRITE = ['CONFLICT', 'VALIDATION_ERROR'] as const;

export const listJourneys = defineOperation({
  ...reads,
  id: 'journeys.list',
  route: 'GET /v2/journeys',
  summary: 'List the journeys that are not archived, newest first',
  description: `All versions, without their steps. There are at most ${MAX_JOURNEYS}.`,
  answer: openObject('JourneyList', 'The journeys of an organization.', {
    items: z.array(JourneyRow).meta({ description: 'The journeys that are not archived, newest first.' }),
  }),
  uses: { table: 'read' },
});

export const createJourney = defineOperation({
  ...writes,
  id: 'journeys.create',
  route: 'POST /v2/journeys',
  summary: 'Create a journey',
  description:
    'As a draft, which nobody enters. 422 tells everything that is wrong with it, by place: repeated keys, links to nowhere, steps that are not reached, a cycle without a wait, lists, segments, templates and pipelines that are not there, more than 1,000,000 bytes of steps and links. 409 beyond 200 journeys that are not archived.',
  body: CreateJourney,
  responses: { 201: DefinedJourney },
  errors: WRITE,
});

export const getJourney = defineOperation({
  ...reads,
  id: 'journeys.get',
  route: 'GET /v2/journeys/{id}',
  summary: 'Read a version of a journey with its steps',
  params,
  answer: Journey,
});

export const changeJourney = defineOperation({
  ...writes,
  id: 'journeys.change',
  route: 'PATCH /v2/journeys/{id}',
  summary: 'Change a draft, or make one of the next version',
  description:
    'JSON Merge Patch; `passos` and `ligacoes` are replaced as a whole. A draft is changed: 200. Of an active or paused version a draft of the next one is made, and it goes on as it is: 201. 409 with `meta.code` RASCUNHO_EXISTENTE where there is such a draft already, VERSAO_SUBSTITUIDA for a version that another one took the place of, each naming the version to change as `meta.journeyId`; 409 for an archived one.',
  params,
  body: ChangeJourney,
  responses: { 200: DefinedJourney, 201: DefinedJourney },
  errors: WRITE,
});

export const deleteJourney = defineOperation({
  ...writes,
  id: 'journeys.delete',
  route: 'DELETE /v2/journeys/{id}',
  summary: 'Delete a draft',
  description: '409 for any other version: archive it.',
  params,
  responses: { 204: null },
  errors: ['CONFLICT'],
});

const moves = { ...writes, params, answer: Journey, errors: ['CONFLICT'] } as const;
const working = { table: 'write', rootKeys, queues: ['events', 'send'] } as const;

export const activateJourney = defineOperation({
  ...moves,
  id: 'journeys.activate',
  route: 'POST /v2/journeys/{id}/activate',
  summary: 'Activate a draft, or let a paused version go on',
  description:
    'A draft takes the place of the version that runs: that one takes no entries any more, and its runs end on its own steps. Checks again what the journey names, and that it can send: 422 by place for a template that is not approved, no connected number, no push app, no verified sender. May be repeated.',
  body: closedObject('ActivateJourney', 'How to activate; may be absent.', {
    incluirAtuais: z.boolean().default(false).meta({
      description:
        'Also enters who is in the list or the segment of its trigger at this moment; for those two triggers only.',
      example: true,
    }),
  }),
  errors: WRITE,
  uses: working,
});

export const pauseJourney = defineOperation({
  ...moves,
  id: 'journeys.pause',
  route: 'POST /v2/journeys/{id}/pause',
  summary: 'Pause an active version',
  description:
    'Nobody enters, and every run stands still where it is, with what is left of its waits. May be repeated; 409 for a draft and an archived version.',
  uses: { ...working, queues: ['events'] },
});

export const archiveJourney = defineOperation({
  ...moves,
  id: 'journeys.archive',
  route: 'POST /v2/journeys/{id}/archive',
  summary: 'Archive a version for good',
  description: 'Nobody enters, and its runs are cancelled, in the background. It can still be read. May be repeated.',
  uses: { ...working, queues: ['send'] },
});

export const rotateJourneySecret = defineOperation({
  ...writes,
  id: 'journeys.rotate-secret',
  route: 'POST /v2/journeys/{id}/rotate-secret',
  summary: "Rotate the signing secret of a journey's webhook steps",
  description:
    'For all versions. Until the overlap ends, both secrets sign. 409 for a journey that never had a webhook step, 403 for one that posts contacts in full, where the caller may not see them so.',
  params,
  body: closedObject('RotateJourneySecret', 'The overlap of a rotation.', {
    sobreposicaoHoras: z
      .int()
      .min(0)
      .max(720)
      .default(24)
      .meta({ description: 'How many hours the old secret also signs.', example: 24 }),
  }),
  answer: RotatedJourneySecret,
  errors: WRITE,
});
