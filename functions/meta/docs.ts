import document from '../../openapi.json?raw';
import { getDocs as contract } from '../../shared/contracts/meta.ts';
import { staticHeaders } from '../../shared/openapi/frame.ts';
import { referenceOf } from '../../shared/openapi/reference/pages.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

const page = respond(200, referenceOf(JSON.parse(document)).start(), staticHeaders('text/html; charset=utf-8'));

export const handler = operation(contract, () => page);
