import { deletePushApp as contract } from '../../shared/contracts/push-devices.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { devicePorts } from '../../shared/wiring/push/push.ts';

export const handler = operation(contract, async ({ actor, params }) =>
  (await devicePorts.apps.remove(actor.organizationId, params.id))
    ? undefined
    : refuse('NOT_FOUND', 'There is no such app.'),
);
