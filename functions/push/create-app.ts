import { createPushApp as contract } from '../../shared/contracts/push-devices.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { appView, createApp } from '../../shared/domain/push/app.ts';
import { devicePorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const app = await createApp(devicePorts, actor, body);
  return isRefusal(app) ? app : respond(201, appView(app));
});
