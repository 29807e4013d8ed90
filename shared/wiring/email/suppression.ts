import type { SuppressionPorts } from '../../domain/sending/suppression.ts';
import { suppressionStore } from '../../storage/contacts/email-addresses.ts';
import { clock, settings, table } from '../process/aws.ts';

const store = suppressionStore(table);

export const suppressionPorts: SuppressionPorts = {
  // The sandbox suppresses nothing. False if the lookup fails: the provider then suppresses the e-mail itself and reports it.
  isSuppressed: async (organizationId, hash) =>
    settings.STAGE === 'live' && store.isSuppressed(organizationId, hash, clock()).catch(() => false),
  suppress: store.suppress,
};
