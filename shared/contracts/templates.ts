import * as z from 'zod';
import {
  TEMPLATE_CATEGORIES,
  TEMPLATE_LANGUAGES,
  TEMPLATE_STATUSES,
} from '../domain/channels/whatsapp/templates/template.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { dateTime, limit, pageOf, pathId, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';

const name = z
  .string()
  .max(512)
  .regex(/^[a-z0-9_]+$/, 'must be of a-z, 0-9 and _')
  .meta({ description: 'Once per language and business account.', example: 'pedido_enviado' });
const language = z.enum(TEMPLATE_LANGUAGES).meta({ description: 'Its language.', example: 'pt-BR' });
const category = z
  .enum(TEMPLATE_CATEGORIES)
  .meta({ description: 'What it is for: also the route, and with it the price, of its sends.', example: 'utility' });
const status = z.enum(TEMPLATE_STATUSES).meta({ description: 'Where it stands.', example: 'approved' });
const numberId = idSchema('number', 'The number whose business account keeps it.');

const COMPONENTS = [
  {
    type: 'BODY',
    payload: {
      text: 'Olá, {{1}}! O pedido {{2}} saiu para entrega.',
      example: { body_text: [['Ana', 'A-1842']] },
    },
  },
  { type: 'BUTTONS', payload: { buttons: [{ type: 'QUICK_REPLY', text: 'Está tudo certo' }] } },
];
const component = z
  .strictObject({
    type: z.string().min(1).max(32).meta({
      description: 'HEADER, BODY, FOOTER, BUTTONS, CAROUSEL or LIMITED_TIME_OFFER.',
      example: 'BODY',
    }),
    payload: z.unknown().meta({
      description:
        'What the platform takes of such a component besides its type: HEADER `{format, text?, example?}`, BODY `{text, example?}`, FOOTER `{text}`, BUTTONS `{buttons}`, CAROUSEL `{cards: [{components}]}` with the parts of each card as the platform writes them, LIMITED_TIME_OFFER `{limited_time_offer: {text, has_expiration?}}`.',
      example: COMPONENTS[0]?.payload,
    }),
  })
  .meta({ id: 'TemplateComponent', description: 'A part of a template.' });
const components = z.array(component).min(1).max(4).meta({
  description:
    'Each type once; a BODY is needed. Variables are `{{1}}`, `{{2}}` and so on without gaps, each with an example; or all have names (`{{nome}}`), with examples in `body_text_named_params` and `header_text_named_params`. A send gives what no variable fills, such as the file of a media header, the cards of a carousel or the end of an offer, in `payload.template.components`. A carousel has 2 to 10 cards of the same parts beside a BODY; an offer has a button of URL, and of COPY_CODE where it ends; both are for marketing. A header has one variable at most; of ten buttons at most two are URL, one PHONE_NUMBER.',
  example: COMPONENTS,
});
const headerExampleUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .meta({
    description:
      'The address of an example of a media header, at most 16 MB. It is read and handed to the platform when the template is submitted; the header may name an uploaded file by its media id in `example.header_handle` instead.',
    example: 'https://cdn.loja.example/pedido.png',
  });

const Template = z
  .object({
    id: idSchema('template'),
    organizationId: idSchema('organization', 'The organization that it belongs to.'),
    numberId,
    name,
    language,
    category,
    status,
    components: z
      .array(z.object({ type: z.string(), payload: z.unknown() }))
      .meta({ description: 'Its parts.', example: COMPONENTS }),
    headerExampleUrl: headerExampleUrl.optional(),
    platformTemplateId: z
      .string()
      .optional()
      .meta({ description: 'What the platform calls it.', example: '1259544702043867' }),
    rejectionReason: z
      .string()
      .optional()
      .meta({ description: 'Why the platform rejected it.', example: 'INVALID_FORMAT' }),
    version: z.int().min(1).meta({ description: 'Counts the changes of its contents, from 1.', example: 1 }),
    createdAt: dateTime('When it was created.'),
    updatedAt: dateTime('When it was last changed.'),
  })
  .meta({ id: 'Template', description: 'A WhatsApp template.' });

const id = z.object({ id: pathId('template', 'The id of the template.') });
const tag = 'WhatsApp templates';
const reads = { permission: 'templates:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'templates:write', tag, uses: { table: 'write' } } as const;
const callsMeta = { ...writes, uses: { table: 'write', vault: true, queues: ['events'] }, timeoutSeconds: 28 } as const;

export const listTemplates = defineOperation({
  ...reads,
  id: 'templates.list',
  method: 'GET',
  path: '/v2/templates',
  summary: 'List WhatsApp templates, newest first',
  description: 'With their components, from which a sender reads the variables.',
  request: {
    query: z.strictObject({
      status: status.optional(),
      category: category.optional(),
      language: language.optional(),
      numberId: numberId.optional(),
      limit: limit(50, 200),
      skip,
    }),
  },
  responses: {
    200: pageOf(Template, 'templates').meta({ id: 'TemplatePage', description: 'A page of WhatsApp templates.' }),
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
});

export const createTemplate = defineOperation({
  ...writes,
  id: 'templates.create',
  method: 'POST',
  path: '/v2/templates',
  summary: 'Create a WhatsApp template',
  description:
    'A draft: the platform is shown it when it is submitted. A name that another template of the account has in this language is 409 with its id in `meta.templateId`.',
  request: {
    body: z
      .strictObject({ numberId, name, language, category, components, headerExampleUrl: headerExampleUrl.optional() })
      .meta({ id: 'CreateTemplate', description: 'A new template.' }),
  },
  responses: { 201: Template },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_ERROR'],
});

export const getTemplate = defineOperation({
  ...reads,
  id: 'templates.get',
  method: 'GET',
  path: '/v2/templates/{id}',
  summary: 'Read a WhatsApp template',
  request: { params: id },
  responses: { 200: Template },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
});

export const changeTemplate = defineOperation({
  ...writes,
  id: 'templates.change',
  method: 'PATCH',
  path: '/v2/templates/{id}',
  summary: 'Change a WhatsApp template',
  description:
    'Only a draft or a rejected one, which is a draft then; `version` counts one more. JSON Merge Patch: what is absent stays. Name and language stay once the platform has it.',
  request: {
    params: id,
    body: z
      .strictObject({
        name: name.optional(),
        language: language.optional(),
        category: category.optional(),
        components: components.optional(),
        headerExampleUrl: headerExampleUrl.nullable().optional(),
      })
      .meta({ id: 'ChangeTemplate', description: 'What changes of a template.' }),
  },
  responses: { 200: Template },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteTemplate = defineOperation({
  ...callsMeta,
  id: 'templates.delete',
  method: 'DELETE',
  path: '/v2/templates/{id}',
  summary: 'Delete a WhatsApp template',
  description: 'On the platform too. The platform keeps the name of an approved template back for 30 days.',
  request: { params: id },
  responses: { 204: null },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR', 'DEPENDENCY_FAILED'],
});

export const submitTemplate = defineOperation({
  ...callsMeta,
  id: 'templates.submit',
  method: 'POST',
  path: '/v2/templates/{id}/submit',
  summary: "Hand a WhatsApp template to the platform's review",
  description:
    'A draft or a rejected one. `pending` while the platform reviews it; its verdict raises `template.approved` or `template.rejected`. `submitted` is left when the platform’s answer was lost: submitting again is safe. With a test key a sandbox reviews at once: names that end in `_rejected` are rejected, `_pending` stays pending, others are approved.',
  request: { params: id },
  responses: { 200: Template },
  errors: [
    'UNAUTHORIZED',
    'FORBIDDEN',
    'NOT_FOUND',
    'CONFLICT',
    'PRECONDITION_FAILED',
    'VALIDATION_ERROR',
    'DEPENDENCY_FAILED',
  ],
});
