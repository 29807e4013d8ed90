import type { DevicePorts } from '../../domain/channels/push/devices.ts';
import { pushApps } from '../../storage/push/apps.ts';
import { hasContact } from '../../storage/push/contacts.ts';
import { pushDevices } from '../../storage/push/devices.ts';
import { clock, settings, table, vaults } from '../process/aws.ts';
import { measure } from '../process/observe.ts';

export const devicePorts: DevicePorts = {
  clock,
  apps: pushApps(table, vaults.push),
  devices: pushDevices(table, vaults.push),
  webPush: { allowLoopbackHttp: settings.WEBHOOK_LOOPBACK, hosts: settings.WEB_PUSH_HOSTS },
  hasContact: (organizationId, contactId) => hasContact(table, organizationId, contactId),
  onOptOut: (platform) => measure({ platform }, { PushOptOuts: 1 }),
};
