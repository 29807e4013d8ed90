import { createKey } from '../../shared/contracts/keys.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { keys } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(createKey, async ({ event, body }) => {
  const issued = await keys.create(event, body);
  return isRefusal(issued) ? issued : respond(201, issued);
});
