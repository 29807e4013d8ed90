import { deletePushApp as contract } from '../../shared/contracts/push-devices.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { devicePorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const removed = await devicePorts.apps.remove(actor.organizationId, params.id);
  return removed ? respond(204, undefined) : refuse('NOT_FOUND', 'There is no such app.');
});
