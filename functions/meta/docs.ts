import document from '../../openapi.json?raw';
import { getDocs as contract } from '../../shared/contracts/meta.ts';
import { staticHeaders } from '../../shared/openapi/frame.ts';
import { referenceOf } from '../../shared/openapi/reference/pages.ts';
import { operation, orNotFound, respond } from '../../shared/runtime/operation.ts';

const reference = referenceOf(JSON.parse(document));
const headers = staticHeaders('text/html; charset=utf-8');

export const handler = operation(
  contract,
  ({ query }) => orNotFound('There is no such page of the reference.')(reference.find(query.page)),
  (html) => respond(200, html, headers),
);
