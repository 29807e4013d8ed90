import { getDocsError as contract } from '../../shared/contracts/meta.ts';
import { staticHeaders } from '../../shared/openapi/frame.ts';
import { problemPage } from '../../shared/openapi/problem-page.ts';
import { operation, orNotFound, respond } from '../../shared/runtime/operation.ts';

const headers = staticHeaders('text/html; charset=utf-8');

export const handler = operation(
  contract,
  ({ params }) => orNotFound('There is no such error.')(problemPage(params.code)),
  (html) => respond(200, html, headers),
);
