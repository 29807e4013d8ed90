import type { UnsubscribePorts } from '../../domain/contacts/unsubscribe.ts';
import { emailConsentStore } from '../../storage/contacts/email-addresses.ts';
import { settings, table, vaults } from '../process/aws.ts';
import { contactPorts } from './contacts.ts';

export const unsubscribePorts: UnsubscribePorts = {
  ...contactPorts,
  env: settings.STAGE,
  addresses: emailConsentStore(table),
  vault: vaults.unsubscribe,
};
