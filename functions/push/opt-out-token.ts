import { optOutPushToken as contract } from '../../shared/contracts/push-devices.ts';
import { deviceView } from '../../shared/domain/channels/push/device.ts';
import { optOutDevice } from '../../shared/domain/channels/push/devices.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { devicePorts } from '../../shared/wiring/push/devices.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => optOutDevice(devicePorts, actor, body),
  (device, { unmasked }) => deviceView(device, unmasked),
);
