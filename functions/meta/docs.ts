import { getDocs as contract } from '../../shared/contracts/meta.ts';
import { docsPage, staticHeaders } from '../../shared/openapi/pages.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

const page = respond(200, docsPage, staticHeaders('text/html; charset=utf-8'));

export const handler = operation(contract, () => page);
