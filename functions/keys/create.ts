import { createKey } from '../../shared/contracts/keys.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { keys } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(createKey, async ({ actor, body }) => {
  const issued = await keys.create(actor, body);
  return isRefusal(issued) ? issued : respond(201, issued);
});
