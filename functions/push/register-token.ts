import { registerPushToken as contract } from '../../shared/contracts/push-devices.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { deviceView } from '../../shared/domain/push/device.ts';
import { registerDevice } from '../../shared/domain/push/devices.ts';
import { devicePorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const device = await registerDevice(devicePorts, actor, body);
  return isRefusal(device) ? device : respond(200, deviceView(device, actor.scopes.has('pii:full')));
});
