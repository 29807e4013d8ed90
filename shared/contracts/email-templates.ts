import * as z from 'zod';
import { VARIABLE_NAME } from '../domain/channels/email/placeholders.ts';
import { TEMPLATE_FORMATS } from '../domain/channels/email/template.ts';
import { MAX_VARIABLES_BYTES } from '../domain/channels/email/templates.ts';
import { MAX_SUBJECT_LENGTH } from '../domain/core/email-address.ts';
import { idSchema } from '../domain/core/id-schema.ts';
import {
  boundedText,
  closedObject,
  dateTime,
  oneLine,
  openObject,
  optionalBoundedText,
  ordinal,
  paged,
  pageOf,
  pathId,
  text,
} from './common.ts';
import { defineOperation } from './define-operation.ts';

/** Maximum length of source and text, in characters. */
const CONTENT_LENGTH = 500_000;

const variable = z.strictObject({
  name: z
    .string()
    .regex(VARIABLE_NAME, 'must begin with a letter or _ and use A-Z a-z 0-9 _ . - only, at most 64 characters')
    .meta({ description: "The variable's name, as written between the braces.", example: 'nome' }),
  example: z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'The value that is used when a send does not give one.', example: 'Ana' }),
  description: z
    .string()
    .max(500)
    .optional()
    .meta({ description: 'The purpose of the template.', example: "The customer's first name" }),
});

const name = oneLine(128, 'Unique within the organization and the environment.', 'pedido-enviado');
const subject = boundedText(
  MAX_SUBJECT_LENGTH,
  'The subject, one line; with placeholders `{{variable}}`.',
  '{{nome}}, seu pedido saiu para entrega',
);
const format = z
  .enum(TEMPLATE_FORMATS)
  .meta({ description: 'The format of the source; MJML is compiled when the template is saved.', example: 'html' });
const source = boundedText(
  CONTENT_LENGTH,
  'HTML or MJML, with placeholders `{{variable}}`; values are escaped. MJML: at most 100,000 characters, every element closed, no mj-include.',
  '<p>Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.</p>',
);
const plainText = boundedText(
  CONTENT_LENGTH,
  'The plain-text part, with placeholders; generated from the HTML of each e-mail when absent.',
  'Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.',
);
const variables = z
  .array(variable)
  .max(100)
  .meta({
    description: `The variables of subject, source and text; each once, of at most ${MAX_VARIABLES_BYTES.toLocaleString('en')} bytes of JSON together. A variable that a send does not give has its example as value, else it is empty.`,
  });

const summary = {
  id: idSchema('emailTemplate'),
  organizationId: idSchema('organization', 'The organization that owns it.'),
  name,
  subject,
  format,
  variables,
  version: ordinal('The number of the version, from 1; every change adds one.', 3),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
};
const EmailTemplateSummary = openObject('EmailTemplateSummary', 'An e-mail template without its contents.', summary);
const EmailTemplate = openObject('EmailTemplate', 'An e-mail template with its contents.', {
  ...summary,
  source,
  html: text(
    'The HTML that is sent, before the placeholders are filled: the source, or the compiled MJML.',
    '<p>Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.</p>',
  ),
  text: plainText.optional(),
});

const id = z.object({ id: pathId('emailTemplate', 'The id of the template.') });
const tag = 'E-mail templates';
const reads = { permission: 'templates:read', tag, uses: { table: 'read' } } as const;
const writes = { permission: 'templates:write', tag, uses: { table: 'write' } } as const;
/** The MJML compiler needs memory, and time that grows with the source. */
const compiles = { ...writes, memoryMb: 1024, timeoutSeconds: 28 } as const;

export const listEmailTemplates = defineOperation({
  ...reads,
  id: 'email-templates.list',
  route: 'GET /v2/email/templates',
  summary: 'List e-mail templates, newest first',
  description: 'Without their contents.',
  query: z.strictObject({
    q: optionalBoundedText(128, 'Only templates whose name contains this, ignoring case and accents.', 'pedido'),
    ...paged(50, 200),
  }),
  answer: pageOf(EmailTemplateSummary, 'EmailTemplatePage', 'templates', 'e-mail templates'),
});

export const createEmailTemplate = defineOperation({
  ...compiles,
  id: 'email-templates.create',
  route: 'POST /v2/email/templates',
  summary: 'Create an e-mail template',
  description:
    'MJML is compiled here, once; errors are reported with their lines. A name that another template has is 409 with its id in `meta.templateId`.',
  body: closedObject('CreateEmailTemplate', 'A new e-mail template.', {
    name,
    subject,
    format: format.default('html'),
    source,
    text: plainText.optional(),
    variables: variables.optional(),
  }),
  responses: { 201: EmailTemplate },
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const getEmailTemplate = defineOperation({
  ...reads,
  id: 'email-templates.get',
  route: 'GET /v2/email/templates/{id}',
  summary: 'Read an e-mail template',
  params: id,
  answer: EmailTemplate,
});

export const changeEmailTemplate = defineOperation({
  ...compiles,
  id: 'email-templates.change',
  route: 'PATCH /v2/email/templates/{id}',
  summary: 'Change an e-mail template',
  description: 'JSON Merge Patch: absent fields stay, `text: null` clears. Sent e-mails do not change.',
  params: id,
  body: closedObject('ChangeEmailTemplate', 'A change to an e-mail template.', {
    name: name.optional(),
    subject: subject.optional(),
    format: format.optional(),
    source: source.optional(),
    text: plainText.nullable().optional(),
    variables: variables.optional(),
  }),
  answer: EmailTemplate,
  errors: ['CONFLICT', 'VALIDATION_ERROR'],
});

export const deleteEmailTemplate = defineOperation({
  ...writes,
  id: 'email-templates.delete',
  route: 'DELETE /v2/email/templates/{id}',
  summary: 'Delete an e-mail template',
  description: 'Its name can be used again. Sent e-mails do not change.',
  params: id,
  responses: { 204: null },
});

export const renderEmailTemplate = defineOperation({
  ...reads,
  id: 'email-templates.render',
  route: 'POST /v2/email/templates/{id}/render',
  summary: 'Render an e-mail template',
  description: 'Filled as in a send; nothing is sent or stored.',
  params: id,
  body: closedObject('RenderEmailTemplate', 'The values to fill the template with.', {
    variables: z
      .record(z.string().min(1).max(64), z.union([z.string().max(10_000), z.number(), z.boolean()]))
      .default({})
      .meta({
        description: 'The values of the variables, by name.',
        example: { nome: 'Bia', pedido: 'A-1842' },
      }),
  }),
  answer: openObject('RenderedEmailTemplate', 'A filled template.', {
    subject: text('The subject.', 'Bia, seu pedido saiu para entrega'),
    html: text('The HTML part.', '<p>Olá, Bia! O pedido A-1842 saiu para entrega.</p>'),
    text: text('The plain-text part.', 'Olá, Bia! O pedido A-1842 saiu para entrega.'),
  }),
  errors: ['VALIDATION_ERROR'],
});
