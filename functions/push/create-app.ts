import { createPushApp as contract } from '../../shared/contracts/push-devices.ts';
import { appView, createApp } from '../../shared/domain/channels/push/app.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { devicePorts } from '../../shared/wiring/push/devices.ts';

export const handler = operation(contract, ({ actor, body }) => createApp(devicePorts, actor, body), appView);
