import * as z from 'zod';
import { ACTIVITY_TYPES } from '../domain/activities/activity.ts';
import { idSchema, linkId, looseId } from '../domain/core/id-schema.ts';
import type { IdKind } from '../domain/core/ids.ts';
import { isOfUsualYears, USUAL_YEARS } from '../domain/core/time.ts';
import { count, dateTime, flag, oneLine, openObject, paged, pathId } from './common.ts';
import { defineOperation } from './define-operation.ts';

const tipo = z.enum(ACTIVITY_TYPES).meta({ description: 'What is done.', example: 'ligacao' });
const titulo = oneLine(200, 'What is to be done, in one line.', 'Ligar sobre a proposta');
const descricao = z
  .string()
  .min(1)
  .max(5_000)
  .regex(/^(?:[^\p{Cc}]|[\t\n\r])*$/u, 'must not contain control characters except tabs and line breaks')
  .meta({ description: 'More about it.', example: 'Confirmar prazo de entrega e forma de pagamento.' });
const venceEm = dateTime('When it is due.').refine((time) => isOfUsualYears(Date.parse(time)), USUAL_YEARS);
const lembreteMinutos = z.int().min(0).max(40_320).meta({
  description: 'How many minutes before `venceEm` activity.due is raised as well; at most four weeks.',
  example: 30,
});
const concluida = flag('Whether it is done.', false);
const links = {
  cardId: linkId('card', 'The card that it is about.'),
  contatoId: linkId('contact', 'The contact that it is about.'),
  empresaId: linkId('company', 'The company that it is about.'),
  responsavelId: linkId('account', 'The person of the organization who does it: an active account.'),
};

/** The fields of a new activity's body, as responses show them. */
const fields = {
  tipo,
  titulo,
  descricao: descricao.optional(),
  cardId: links.cardId.optional(),
  contatoId: links.contatoId.optional(),
  empresaId: links.empresaId.optional(),
  responsavelId: links.responsavelId.optional(),
  venceEm: venceEm.optional(),
  lembreteMinutos: lembreteMinutos.optional(),
};

export const Activity = openObject('Activity', 'A call, a meeting or a task.', {
  id: idSchema('activity'),
  ...fields,
  concluida,
  concluidaEm: dateTime('When it was done.').optional(),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it last changed.'),
});

const CreateActivity = z
  .strictObject({
    ...fields,
    concluida: concluida.optional(),
  })
  .meta({ id: 'CreateActivity', description: 'An activity to create.' });

const ChangeActivity = z
  .strictObject({
    tipo: tipo.optional(),
    titulo: titulo.optional(),
    descricao: descricao.nullable().optional(),
    cardId: links.cardId.nullable().optional(),
    contatoId: links.contatoId.nullable().optional(),
    empresaId: links.empresaId.nullable().optional(),
    responsavelId: links.responsavelId.nullable().optional(),
    venceEm: venceEm.nullable().optional(),
    lembreteMinutos: lembreteMinutos.nullable().optional(),
    concluida: concluida.optional(),
  })
  .meta({ id: 'ChangeActivity', description: 'The changes to an activity.' });

const filterId = <K extends IdKind>(kind: K, description: string) =>
  looseId(kind, z.string().min(1).max(128)).optional().meta({ description });

const params = z.object({ id: pathId('activity', 'The id of the activity.') });
const tag = 'Activities';
const reads = { tag, permission: 'crm:read', uses: { table: 'read' } } as const;
const writes = { tag, permission: 'crm:write', uses: { table: 'write' } } as const;
const LINKS =
  'A link to an object that does not exist, or to an account that is not active, is 422 with `meta.code` VINCULO_INVALIDO, which names the field.';

export const listActivities = defineOperation({
  ...reads,
  id: 'activities.list',
  route: 'GET /activities',
  summary: 'List activities, by when they are due',
  description:
    'Filters may be combined. Activities without a due time come last, by their creation; with `de` or `ate` they are left out.',
  query: z.strictObject({
    cardId: filterId('card', 'Only activities about this card.'),
    contatoId: filterId('contact', 'Only activities about this contact.'),
    empresaId: filterId('company', 'Only activities about this company.'),
    responsavelId: filterId('account', 'Only activities of this person.'),
    concluida: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Only completed (true) or only open (false) activities.', example: 'false' }),
    tipo: tipo.optional().meta({ description: 'Only activities of this type.' }),
    de: dateTime('Only activities that are due at or after this time.').optional(),
    ate: dateTime('Only activities that are due at or before this time.').optional(),
    ...paged(50, 200),
  }),
  responses: {
    200: openObject('ActivityPage', 'A page of activities.', {
      items: z.array(Activity).meta({ description: 'The activities of this page, by when they are due.' }),
      total: count('How many activities match, on all pages.', 1),
    }),
  },
  errors: ['VALIDATION_ERROR'],
});

export const createActivity = defineOperation({
  ...writes,
  id: 'activities.create',
  route: 'POST /activities',
  summary: 'Create an activity',
  description: `With \`venceEm\`, activity.due is raised then, and \`lembreteMinutos\` before it. ${LINKS}`,
  body: CreateActivity,
  responses: { 201: Activity },
  errors: ['VALIDATION_ERROR'],
});

export const getActivity = defineOperation({
  ...reads,
  id: 'activities.get',
  route: 'GET /activities/{id}',
  summary: 'Read an activity',
  params,
  responses: { 200: Activity },
});

export const changeActivity = defineOperation({
  ...writes,
  id: 'activities.change',
  route: 'PATCH /activities/{id}',
  summary: 'Change an activity',
  description: `Absent fields stay; null clears. After a change of \`venceEm\` or \`lembreteMinutos\` activity.due is raised again; \`concluida: false\` reopens. ${LINKS}`,
  params,
  body: ChangeActivity,
  responses: { 200: Activity },
  errors: ['VALIDATION_ERROR'],
});

export const completeActivity = defineOperation({
  ...writes,
  id: 'activities.complete',
  route: 'POST /activities/{id}/complete',
  summary: 'Complete an activity',
  description: 'No more events are raised for it. A repeat answers it as it is.',
  params,
  body: z.strictObject({}).meta({ id: 'CompleteActivity', description: 'An empty object.' }),
  responses: { 200: Activity },
  errors: ['VALIDATION_ERROR'],
});

export const deleteActivity = defineOperation({
  ...writes,
  id: 'activities.delete',
  permission: 'crm:delete',
  route: 'DELETE /activities/{id}',
  summary: 'Delete an activity',
  description: 'For good.',
  params,
  responses: { 204: null },
});
