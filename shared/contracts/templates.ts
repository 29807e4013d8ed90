import * as z from 'zod';
import {
  TEMPLATE_CATEGORIES,
  TEMPLATE_LANGUAGES,
  TEMPLATE_STATUSES,
} from '../domain/channels/whatsapp/templates/template.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  boundedText,
  closedObject,
  dateTime,
  openObject,
  optionalText,
  ordinal,
  paged,
  pageOf,
  pathId,
} from './common.ts';
import { defineOperation } from './define-operation.ts';

const name = z
  .string()
  .max(512)
  .regex(/^[a-z0-9_]+$/, 'must be of a-z, 0-9 and _')
  .meta({ description: 'The name; unique per language and business account.', example: 'pedido_enviado' });
const language = z.enum(TEMPLATE_LANGUAGES).meta({ description: 'Its language.', example: 'pt-BR' });
const category = z
  .enum(TEMPLATE_CATEGORIES)
  .meta({ description: 'The category: also the route, and thereby the price, of its sends.', example: 'utility' });
const status = z.enum(TEMPLATE_STATUSES).meta({ description: 'The status of the template.', example: 'approved' });
const numberId = idSchema('number', 'The number whose business account owns the template.');

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
const component = closedObject('TemplateComponent', 'A component of a template.', {
  type: boundedText(32, 'HEADER, BODY, FOOTER, BUTTONS, CAROUSEL or LIMITED_TIME_OFFER.', 'BODY'),
  payload: z.unknown().meta({
    description:
      "The component without its type, in Meta's format: HEADER `{format, text?, example?}`, BODY `{text, example?}`, FOOTER `{text}`, BUTTONS `{buttons}`, CAROUSEL `{cards: [{components}]}` with the components of each card, LIMITED_TIME_OFFER `{limited_time_offer: {text, has_expiration?}}`.",
    example: COMPONENTS[0]?.payload,
  }),
});
const components = z.array(component).min(1).max(4).meta({
  description:
    'Each type once; a BODY is required. Variables are `{{1}}`, `{{2}}` and so on without gaps, each with an example; or all are named (`{{nome}}`), with examples in `body_text_named_params` and `header_text_named_params`. A send provides what variables cannot fill, such as the file of a media header, the cards of a carousel or the expiration of an offer, in `payload.template.components`. A carousel has 2 to 10 cards with the same components and, besides it, only a BODY; an offer has a URL button, and a COPY_CODE button if it expires; both are for marketing. A header has at most one variable; of ten buttons at most two are URL, one PHONE_NUMBER.',
  example: COMPONENTS,
});
const headerExampleUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .meta({
    description:
      'The URL of an example for a media header, at most 16 MB. It is downloaded and passed to Meta when the template is submitted; alternatively the header names an uploaded file by its media id in `example.header_handle`.',
    example: 'https://cdn.loja.example/pedido.png',
  });

const Template = openObject('Template', 'A WhatsApp template.', {
  id: idSchema('template'),
  organizationId: idSchema('organization', 'The organization that owns it.'),
  numberId,
  name,
  language,
  category,
  status,
  components: z
    .array(z.object({ type: z.string(), payload: z.unknown() }))
    .meta({ description: 'Its components.', example: COMPONENTS }),
  headerExampleUrl: headerExampleUrl.optional(),
  platformTemplateId: optionalText("Meta's id of the template.", '1259544702043867'),
  rejectionReason: optionalText('Why Meta rejected it.', 'INVALID_FORMAT'),
  version: ordinal('The number of the version, from 1; every change of the contents adds one.', 1),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
});

const id = z.object({ id: pathId('template', 'The id of the template.') });
const tag = 'WhatsApp templates';
const reads = { permission: 'templates:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'templates:write', tag, uses: { table: 'write' } } as const;
const callsMeta = {
  ...writes,
  uses: { table: 'write', rootKeys: ['numbers', 'providers'], queues: ['events'] },
  timeoutSeconds: 28,
} as const;

export const listTemplates = defineOperation({
  ...reads,
  id: 'templates.list',
  route: 'GET /v2/templates',
  summary: 'List WhatsApp templates, newest first',
  description: 'With their components, which contain the variables.',
  query: z.strictObject({
    status: status.optional(),
    category: category.optional(),
    language: language.optional(),
    numberId: numberId.optional(),
    ...paged(50, 200),
  }),
  answer: pageOf(Template, 'TemplatePage', 'templates', 'WhatsApp templates'),
});

export const createTemplate = defineOperation({
  ...writes,
  id: 'templates.create',
  route: 'POST /v2/templates',
  summary: 'Create a WhatsApp template',
  description:
    'Creates a draft: Meta gets it when it is submitted. A name that another template of the account has in this language is 409 with its id in `meta.templateId`.',
  body: closedObject('CreateTemplate', 'A new template.', {
    numberId,
    name,
    language,
    category,
    components,
    headerExampleUrl: headerExampleUrl.optional(),
  }),
  responses: { 201: Template },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const getTemplate = defineOperation({
  ...reads,
  id: 'templates.get',
  route: 'GET /v2/templates/{id}',
  summary: 'Read a WhatsApp template',
  params: id,
  answer: Template,
});

export const changeTemplate = defineOperation({
  ...writes,
  id: 'templates.change',
  route: 'PATCH /v2/templates/{id}',
  summary: 'Change a WhatsApp template',
  description:
    'Only a draft or a rejected template, which becomes a draft; increments `version`. JSON Merge Patch: absent fields stay. Name and language cannot change once Meta has the template.',
  params: id,
  body: closedObject('ChangeTemplate', 'A change to a template.', {
    name: name.optional(),
    language: language.optional(),
    category: category.optional(),
    components: components.optional(),
    headerExampleUrl: headerExampleUrl.nullable().optional(),
  }),
  answer: Template,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteTemplate = defineOperation({
  ...callsMeta,
  id: 'templates.delete',
  route: 'DELETE /v2/templates/{id}',
  summary: 'Delete a WhatsApp template',
  description: 'It is also deleted at Meta, which reserves the name of an approved template for 30 days.',
  params: id,
  responses: { 204: null },
  errors: ['CONFLICT', 'VALIDATION_ERROR', 'DEPENDENCY_FAILED'],
});

export const submitTemplate = defineOperation({
  ...callsMeta,
  id: 'templates.submit',
  route: 'POST /v2/templates/{id}/submit',
  summary: "Submit a WhatsApp template for Meta's review",
  description:
    'Only a draft or a rejected template. `pending` while Meta reviews it; the result raises `template.approved` or `template.rejected`. It stays `submitted` if Meta’s response was lost: submitting again is safe. With a test key a sandbox reviews at once: names that end in `_rejected` are rejected, `_pending` stays pending, others are approved.',
  params: id,
  answer: Template,
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'VALIDATION_ERROR', 'DEPENDENCY_FAILED'],
});
