import type { SmsPorts } from '../../domain/sms/send.ts';
import { sendPorts } from './send.ts';
import { organizationSettings } from './settings.ts';

/** What the SMS rules need. */
export const smsPorts: SmsPorts = {
  ...sendPorts,
  perSecond: async (organizationId) => (await organizationSettings(organizationId)).smsPerSecond,
};
