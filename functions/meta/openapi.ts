import document from '../../openapi.json?raw';
import { getOpenApi as contract } from '../../shared/contracts/meta.ts';
import { staticHeaders } from '../../shared/openapi/frame.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

const answer = respond(200, document, staticHeaders('application/json'));

export const handler = operation(contract, () => answer);
