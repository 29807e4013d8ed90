import { listPushApps as contract } from '../../shared/contracts/push-devices.ts';
import { appView } from '../../shared/domain/channels/push/app.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { devicePorts } from '../../shared/wiring/push/devices.ts';

export const handler = operation(
  contract,
  ({ actor }) => devicePorts.apps.list(actor.organizationId),
  (apps) => ({ items: apps.map(appView), total: apps.length }),
);
