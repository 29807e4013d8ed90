import type { PushPlanPorts } from '../../domain/channels/push/content.ts';
import { table, vaults } from '../process/aws.ts';

/** The devices of a person. Loaded by the first push that is planned, to keep them out of other sends' cold starts. */
export const pushPlanPorts: PushPlanPorts = {
  devicesOf: async (organizationId, to) => {
    const [{ pushApps }, { devicesOfPerson }] = await Promise.all([
      import('../../storage/push/apps.ts'),
      import('../../storage/push/devices.ts'),
    ]);
    return devicesOfPerson(table, pushApps(table, vaults.push).list, organizationId, to);
  },
  deniedContacts: async (organizationId, ids) => {
    if (ids.length === 0) return new Set();
    return (await import('../../storage/push/contacts.ts')).deniedContacts(table, organizationId, ids);
  },
};
