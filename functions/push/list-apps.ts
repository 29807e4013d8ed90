import { listPushApps as contract } from '../../shared/contracts/push-devices.ts';
import { appView } from '../../shared/domain/push/app.ts';
import { devicePorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor }) => {
  const apps = await devicePorts.apps.list(actor.organizationId);
  return respond(200, { items: apps.map(appView), total: apps.length });
});
