import * as z from 'zod';
import { idSchema } from '../domain/core/id-schema.ts';
import { ENTRY_REFUSALS } from '../domain/journeys/entry.ts';
import { byCursor, closedObject, coins, count, cursorPageOf, openObject, part, pathId, text } from './common.ts';
import { defineOperation } from './define-operation.ts';
import { JourneyRun, JourneyRunWithHistory, runStatus, runVariables } from './journey-run-shapes.ts';

const tag = 'Journeys';
const params = z.object({ id: pathId('journey', 'The id of a version of the journey.') });
const runParams = params.extend({ runId: pathId('run', 'The id of the run.') });
const reads = { permission: 'campaigns:read', tag } as const;
const writes = { permission: 'campaigns:write', tag } as const;

/** Maximum contacts entered per call. */
const MAX_ENTRIES = 1_000;
/** Maximum visits of a run in one response. */
export const HISTORY_PAGE = 1_000;

export const enterJourney = defineOperation({
  ...writes,
  id: 'journeys.enter',
  route: 'POST /v2/journeys/{id}/entries',
  summary: 'Let contacts into a journey',
  description:
    'Into an active version whose trigger is `manual`. The answer has the run of each contact, or the reason why it did not enter: a contact that may not enter does not affect the others. A contact has one active run in all versions of a journey together. 409 for a version that accepts no entries now, or has another trigger.',
  params,
  body: closedObject('EnterJourney', 'The contacts to enter, and their variables.', {
    contactIds: z.array(idSchema('contact')).min(1).max(MAX_ENTRIES).meta({ description: 'The contacts, 1 to 1,000.' }),
    variaveis: runVariables.optional(),
  }),
  answer: openObject('JourneyEntries', 'The result of each contact.', {
    entraram: count('How many of them have entered.', 2),
    items: z
      .array(
        part('A contact.', {
          contactId: idSchema('contact'),
          runId: idSchema('run', 'Its run; absent if it did not enter.').optional(),
          motivo: z.enum(ENTRY_REFUSALS).optional().meta({
            description:
              'Why it did not enter. `contato_inexistente`: there is no such contact; `ja_ativa`: it has an active run; `ja_entrou`: it had one, and none may have another; `intervalo`: its last run began too recently; `entradas_encerradas`: the version accepts no more entries; `muitas_entradas` is for tags and segments only.',
            example: 'ja_ativa',
          }),
        }),
      )
      .meta({ description: 'In the order of the request.' }),
  }),
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
  uses: { table: 'write', rootKeys: ['webhooks'], queues: ['send'] },
});

export const listJourneyRuns = defineOperation({
  ...reads,
  id: 'journeys.runs',
  route: 'GET /v2/journeys/{id}/runs',
  summary: 'List the runs of a version, newest first',
  description: 'A page may have fewer runs than `limit` and still a next one; it ends before 5,000,000 bytes.',
  params,
  query: z.strictObject({
    status: runStatus.optional(),
    contactId: idSchema('contact', 'Of this contact only.').optional(),
    ...byCursor(50, 200),
  }),
  answer: cursorPageOf(JourneyRun, 'JourneyRunPage', 'runs', 'runs'),
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const getJourneyRun = defineOperation({
  ...reads,
  id: 'journeys.run',
  route: 'GET /v2/journeys/{id}/runs/{runId}',
  summary: 'Read a run with its history',
  description: 'A long history is paged, with 1,000 visits if `limit` is absent.',
  params: runParams,
  query: z.strictObject(byCursor(HISTORY_PAGE, HISTORY_PAGE)),
  answer: JourneyRunWithHistory,
  errors: ['VALIDATION_ERROR'],
  uses: { table: 'read', rootKeys: ['cursors'] },
});

export const cancelJourneyRun = defineOperation({
  ...writes,
  id: 'journeys.cancel-run',
  route: 'POST /v2/journeys/{id}/runs/{runId}/cancel',
  summary: 'Cancel a run',
  description:
    'It stops at its step; messages that were sent are not affected. May be repeated; 409 for a run with another end. Answers the first page of its history.',
  params: runParams,
  answer: JourneyRunWithHistory,
  errors: ['CONFLICT'],
  uses: { table: 'write', rootKeys: ['cursors', 'webhooks'] },
});

export const readJourneyMetrics = defineOperation({
  ...reads,
  id: 'journeys.metrics',
  route: 'GET /v2/journeys/{id}/metrics',
  summary: 'Read the results of a version',
  description: 'Counted in real time; it costs one read however many runs there are.',
  params,
  answer: openObject('JourneyMetrics', 'The results of the runs and messages of a version.', {
    entradas: count('Runs that began.', 1_105),
    ativas: count('On their way.', 120),
    concluidas: count('That ended normally.', 980),
    canceladas: count('Cancelled.', 4),
    erros: count('Ended by a step that failed permanently.', 1),
    conversoes: count('Runs that reached the goal, while active or within 30 days of their end.', 64),
    valorConvertido: z
      .number()
      .meta({ description: 'The sum of the values of the events by which they reached it.', example: 5_120.5 }),
    coins: coins('The cost of its messages, those in progress included.'),
    passos: z
      .array(
        part('A step.', {
          chave: text('Its key.', 'boas_vindas'),
          entraram: count('How often a run came to it.', 1_105),
          esperando: count('How many runs are at it.', 20),
          sairam: count('How often a run left it.', 1_085),
          enviadas: count('Messages that their provider accepted.', 1_000),
          entregues: count('Of these, delivered.', 950),
          lidas: count('Read.', 700),
          clicadas: count('With a link that was followed.', 120),
          falhas: count('Messages that failed.', 5),
          puladas: count(
            'Sends that were skipped because of the contact: opted out, without an address, above a cap.',
            85,
          ),
        }),
      )
      .meta({ description: 'In the order of the definition.' }),
  }),
  uses: { table: 'read', rootKeys: ['webhooks'] },
});
