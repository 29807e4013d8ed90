import { getDocsError as contract } from '../../shared/contracts/meta.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { problemPage, staticHeaders } from '../../shared/openapi/pages.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

const headers = staticHeaders('text/html; charset=utf-8');

export const handler = operation(contract, async ({ params }) => {
  const html = problemPage(params.code);
  return html ? respond(200, html, headers) : refuse('NOT_FOUND', 'There is no such error.');
});
