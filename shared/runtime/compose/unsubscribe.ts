import type { UnsubscribePorts } from '../../domain/contacts/unsubscribe.ts';
import { emailConsentStore } from '../../storage/email-consent.ts';
import { contactPorts } from './contacts.ts';
import { settings, table, vault } from './platform.ts';

/** What unsubscribing needs, over this stage's table, queues and vault. */
export const unsubscribePorts: UnsubscribePorts = {
  ...contactPorts,
  env: settings.STAGE,
  addresses: emailConsentStore(table),
  vault,
};
