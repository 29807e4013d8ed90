import { getPushApp as contract } from '../../shared/contracts/push-devices.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { appView } from '../../shared/domain/push/app.ts';
import { devicePorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const app = await devicePorts.apps.read(actor.organizationId, params.id);
  return app ? respond(200, appView(app)) : refuse('NOT_FOUND', 'There is no such app.');
});
