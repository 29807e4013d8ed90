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
    'As a draft, which accepts no entries. 422 lists all of its faults, by field: repeated keys, links to steps that do not exist, steps that are not reached, a cycle without a wait, lists, segments, templates and pipelines that do not exist, more than 1,000,000 bytes of steps and links. 409 beyond 200 journeys that are not archived.',
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
    'JSON Merge Patch; `passos`, `ligacoes` and objects, such as `gatilho`, are replaced as a whole. A draft is changed: 200. For an active or paused version a draft of the next version is created, and the version itself is not changed: 201. 409 with `meta.code` RASCUNHO_EXISTENTE if there is such a draft already, VERSAO_SUBSTITUIDA for a version that was replaced, each with the version to change as `meta.journeyId`; 409 for an archived one.',
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
  summary: 'Activate a draft, or resume a paused version',
  description:
    'A draft replaces the running version: that one accepts no more entries, and its runs finish on its own steps. Checks again the objects that the journey names, and that it can send: 422 by field for a template that is not approved, no connected number, no push app, no verified sender. May be repeated.',
  body: closedObject('ActivateJourney', 'How to activate; may be absent.', {
    incluirAtuais: z.boolean().default(false).meta({
      description:
        'Also enters the contacts that are in the list or the segment of its trigger at this time; for those two triggers only.',
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
    'No contact enters, and every run stays at its step, with the remaining time of its waits. May be repeated; 409 for a draft and an archived version.',
  uses: { ...working, queues: ['events'] },
});

export const archiveJourney = defineOperation({
  ...moves,
  id: 'journeys.archive',
  route: 'POST /v2/journeys/{id}/archive',
  summary: 'Archive a version permanently',
  description:
    'No contact enters, and its runs are cancelled, in the background. It can still be read. May be repeated.',
  uses: { ...working, queues: ['send'] },
});

export const rotateJourneySecret = defineOperation({
  ...writes,
  id: 'journeys.rotate-secret',
  route: 'POST /v2/journeys/{id}/rotate-secret',
  summary: "Rotate the signing secret of a journey's webhook steps",
  description:
    'For all versions. Until the overlap ends, posts are signed with both secrets. 409 for a journey that never had a webhook step, 403 for one that posts contacts in full, if the caller may not see them in full.',
  params,
  body: closedObject('RotateJourneySecret', 'The overlap of a rotation.', {
    sobreposicaoHoras: z
      .int()
      .min(0)
      .max(720)
      .default(24)
      .meta({ description: 'For how many hours posts are also signed with the old secret.', example: 24 }),
  }),
  answer: RotatedJourneySecret,
  errors: WRITE,
});
