import { changePushApp as contract } from '../../shared/contracts/push-devices.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { appView, changeApp } from '../../shared/domain/push/app.ts';
import { devicePorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const app = await changeApp(devicePorts, actor, params.id, body);
  return isRefusal(app) ? app : respond(200, appView(app));
});
