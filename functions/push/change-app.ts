import { changePushApp as contract } from '../../shared/contracts/push-devices.ts';
import { appView, changeApp } from '../../shared/domain/channels/push/app.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { devicePorts } from '../../shared/wiring/push/devices.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeApp(devicePorts, actor, params.id, body),
  appView,
);
