import { rotateKey } from '../../shared/contracts/keys.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { keys } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(rotateKey, async ({ event, params, body }) => {
  const issued = await keys.rotate(event, { id: params.id, overlapHours: body.overlapHours });
  return isRefusal(issued) ? issued : respond(200, issued);
});
