import { getDocsGuide as contract } from '../../shared/contracts/meta.ts';
import { staticHeaders } from '../../shared/openapi/frame.ts';
import { guidePage } from '../../shared/openapi/guides.ts';
import { operation, orNotFound, respond } from '../../shared/runtime/operation.ts';

const headers = staticHeaders('text/html; charset=utf-8');

export const handler = operation(
  contract,
  ({ params }) => orNotFound('There is no such guide.')(guidePage(params.guide)),
  (html) => respond(200, html, headers),
);
