import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/core/actor.ts';
import { boundedText, openObject, pathText } from './common.ts';
import { defineOperation } from './define-operation.ts';

/** Static content, without table, queues or credential. */
const STATIC = { tag: 'Service', permission: 'public', uses: { table: 'none' } } as const;
const page = (description: string) => ({ contentType: 'text/html; charset=utf-8', description }) as const;

export const Health = openObject('Health', 'The health of the stage.', {
  status: z.literal('ok').meta({ description: 'The stage accepts requests.', example: 'ok' }),
  stage: z.enum(ENVIRONMENTS).meta({ description: 'The stage that answered.', example: 'test' }),
});

export const getHealth = defineOperation({
  ...STATIC,
  id: 'meta.health',
  route: 'GET /health',
  summary: 'Check that the service accepts requests',
  description: 'Responds without reading the table: the stage is reachable, but its dependencies are not checked.',
  answer: Health,
});

export const getOpenApi = defineOperation({
  ...STATIC,
  id: 'meta.openapi',
  route: 'GET /openapi.json',
  summary: 'Read this document',
  answer: { contentType: 'application/json', description: 'The OpenAPI 3.1 document of the service.', shape: 'object' },
});

export const getDocs = defineOperation({
  ...STATIC,
  id: 'meta.docs',
  route: 'GET /docs',
  summary: 'Read the documentation in a browser',
  description:
    'Without `page`, how to call the API, and the way to every operation. The page loads nothing from another host, and can be read without scripts.',
  query: z.strictObject({
    page: boundedText(
      128,
      'A page of the reference: an operation (`messages.create`), an area (`messages`), a webhook event (`event.message.failed`) or a schema (`schema.Problem`); `all` lists them.',
      'messages.create',
    ).optional(),
  }),
  errors: ['NOT_FOUND'],
  answer: page('The start of the documentation, or the page.'),
});

export const getDocsAsset = defineOperation({
  ...STATIC,
  id: 'meta.docs-asset',
  route: 'GET /docs/assets/{file}',
  summary: 'Read a script or style of the documentation',
  params: z.object({ file: pathText('The name of the file.') }),
  answer: { contentType: 'text/*', description: 'The script or the style.' },
});

export const getDocsGuide = defineOperation({
  ...STATIC,
  id: 'meta.docs-guide',
  route: 'GET /docs/guides/{guide}',
  summary: 'Read a guide',
  description: 'Each shows a task with commands that run as they stand; `overview` lists them all.',
  params: z.object({ guide: pathText('The name of the guide, for example `first-message`.') }),
  answer: page('The guide.'),
});

export const getDocsError = defineOperation({
  ...STATIC,
  id: 'meta.docs-error',
  route: 'GET /docs/errors/{code}',
  summary: 'Read what an error means',
  description:
    'The target of the `type` of every problem document: what the error means, when it occurs, and what to do about it.',
  params: z.object({ code: pathText('The last part of the `type` URL, for example `not-found`.') }),
  answer: page('The explanation of the error.'),
});
