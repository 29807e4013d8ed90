import { getPushApp as contract } from '../../shared/contracts/push-devices.ts';
import { appView } from '../../shared/domain/channels/push/app.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { devicePorts } from '../../shared/wiring/push/devices.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    devicePorts.apps.read(actor.organizationId, params.id).then(orNotFound('There is no such app.')),
  appView,
);
