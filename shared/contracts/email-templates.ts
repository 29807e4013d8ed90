import * as z from 'zod';
import { VARIABLE_NAME } from '../domain/channels/email/placeholders.ts';
import { TEMPLATE_FORMATS } from '../domain/channels/email/template.ts';
import { MAX_SUBJECT_LENGTH } from '../domain/core/email-address.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import { dateTime, limit, pageOf, pathId, skip } from './common.ts';
import { defineOperation } from './define-operation.ts';

/** Maximum length of source and text, in characters. */
const CONTENT_LENGTH = 500_000;

const variable = z.strictObject({
  name: z
    .string()
    .regex(VARIABLE_NAME, 'must begin with a letter or _ and use A-Z a-z 0-9 _ . - only, at most 64 characters')
    .meta({ description: 'The name that stands between the braces.', example: 'nome' }),
  example: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'What stands in its place when a send does not give it.', example: 'Ana' }),
  description: z
    .string()
    .max(500)
    .optional()
    .meta({ description: 'What it is for.', example: "The customer's first name" }),
});

const name = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters')
  .meta({ description: 'Unique within the organization and the environment.', example: 'pedido-enviado' });
const subject = z.string().min(1).max(MAX_SUBJECT_LENGTH).meta({
  description: 'The subject, one line; with placeholders `{{variable}}`.',
  example: '{{nome}}, seu pedido saiu para entrega',
});
const format = z
  .enum(TEMPLATE_FORMATS)
  .meta({ description: 'How the source is written; MJML is compiled when it is saved.', example: 'html' });
const source = z.string().min(1).max(CONTENT_LENGTH).meta({
  description:
    'HTML or MJML, with placeholders `{{variable}}`; values are escaped. MJML: at most 100,000 characters, every element closed, no mj-include.',
  example: '<p>Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.</p>',
});
const text = z.string().min(1).max(CONTENT_LENGTH).meta({
  description: 'The plain-text part, with placeholders; made from the html of each e-mail where it is absent.',
  example: 'Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.',
});
const variables = z.array(variable).max(100).meta({
  description:
    'The variables of subject, source and text; each once. Those that a send does not give take their example, else nothing.',
});

const summary = {
  id: idSchema('emailTemplate'),
  organizationId: idSchema('organization', 'The organization that it belongs to.'),
  name,
  subject,
  format,
  variables,
  version: z.int().min(1).meta({ description: 'Counts the changes, from 1.', example: 3 }),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
};
const EmailTemplateSummary = z
  .object(summary)
  .meta({ id: 'EmailTemplateSummary', description: 'An e-mail template without its contents.' });
const EmailTemplate = z
  .object({
    ...summary,
    source,
    html: z.string().meta({
      description: 'What is sent, before the placeholders are filled: the source, or what MJML was compiled to.',
      example: '<p>Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.</p>',
    }),
    text: text.optional(),
  })
  .meta({ id: 'EmailTemplate', description: 'An e-mail template with its contents.' });

const id = z.object({ id: pathId('emailTemplate', 'The id of the template.') });
const tag = 'E-mail templates';
const reads = { permission: 'templates:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'templates:write', tag, uses: { table: 'write' } } as const;
/** The MJML compiler needs memory, and time that grows with the source. */
const compiles = { ...writes, memoryMb: 1024, timeoutSeconds: 28 } as const;

export const listEmailTemplates = defineOperation({
  ...reads,
  id: 'email-templates.list',
  method: 'GET',
  path: '/v2/email/templates',
  summary: 'List e-mail templates, newest first',
  description: 'Without their contents.',
  request: {
    query: z.strictObject({
      q: z.string().min(1).max(128).optional().meta({
        description: 'Only those whose name holds this, without regard to case and accents.',
        example: 'pedido',
      }),
      limit: limit(50, 200),
      skip,
    }),
  },
  responses: {
    200: pageOf(EmailTemplateSummary, 'templates').meta({
      id: 'EmailTemplatePage',
      description: 'A page of e-mail templates.',
    }),
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN'],
});

export const createEmailTemplate = defineOperation({
  ...compiles,
  id: 'email-templates.create',
  method: 'POST',
  path: '/v2/email/templates',
  summary: 'Create an e-mail template',
  description:
    'MJML is compiled here, once; its faults are answered with their lines. A name that another template has is 409 with its id in `meta.templateId`.',
  request: {
    body: z
      .strictObject({
        name,
        subject,
        format: format.default('html'),
        source,
        text: text.optional(),
        variables: variables.optional(),
      })
      .meta({ id: 'CreateEmailTemplate', description: 'A new e-mail template.' }),
  },
  responses: { 201: EmailTemplate },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'VALIDATION_ERROR'],
});

export const getEmailTemplate = defineOperation({
  ...reads,
  id: 'email-templates.get',
  method: 'GET',
  path: '/v2/email/templates/{id}',
  summary: 'Read an e-mail template',
  request: { params: id },
  responses: { 200: EmailTemplate },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
});

export const changeEmailTemplate = defineOperation({
  ...compiles,
  id: 'email-templates.change',
  method: 'PATCH',
  path: '/v2/email/templates/{id}',
  summary: 'Change an e-mail template',
  description: 'JSON Merge Patch: what is absent stays, `text: null` clears. E-mails that were sent stay as they are.',
  request: {
    params: id,
    body: z
      .strictObject({
        name: name.optional(),
        subject: subject.optional(),
        format: format.optional(),
        source: source.optional(),
        text: text.nullable().optional(),
        variables: variables.optional(),
      })
      .meta({ id: 'ChangeEmailTemplate', description: 'What changes of an e-mail template.' }),
  },
  responses: { 200: EmailTemplate },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteEmailTemplate = defineOperation({
  ...writes,
  id: 'email-templates.delete',
  method: 'DELETE',
  path: '/v2/email/templates/{id}',
  summary: 'Delete an e-mail template',
  description: 'Its name is free again. E-mails that were sent with it stay as they are.',
  request: { params: id },
  responses: { 204: null },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
});

export const renderEmailTemplate = defineOperation({
  ...reads,
  id: 'email-templates.render',
  method: 'POST',
  path: '/v2/email/templates/{id}/render',
  summary: 'See what a template comes to',
  description: 'As a send would fill it; nothing is sent or stored.',
  request: {
    params: id,
    body: z
      .strictObject({
        variables: z
          .record(z.string().min(1).max(64), z.union([z.string().max(10_000), z.number(), z.boolean()]))
          .default({})
          .meta({
            description: 'The values of the variables, by their names.',
            example: { nome: 'Bia', pedido: 'A-1842' },
          }),
      })
      .meta({ id: 'RenderEmailTemplate', description: 'What the template is filled with.' }),
  },
  responses: {
    200: z
      .object({
        subject: z.string().meta({ description: 'The subject.', example: 'Bia, seu pedido saiu para entrega' }),
        html: z
          .string()
          .meta({ description: 'The HTML part.', example: '<p>Olá, Bia! O pedido A-1842 saiu para entrega.</p>' }),
        text: z
          .string()
          .meta({ description: 'The plain-text part.', example: 'Olá, Bia! O pedido A-1842 saiu para entrega.' }),
      })
      .meta({ id: 'RenderedEmailTemplate', description: 'A filled template.' }),
  },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
});
