import { unsubscribeToken, unsubscribeUrl } from '../../domain/contacts/unsubscribe-token.ts';
import type { Id } from '../../domain/core/ids.ts';
import { settings, vaults } from '../process/aws.ts';

/** The one-click unsubscribe URL of an address in this stage (docs/spec/email.md#one-click-unsubscribe). */
export const unsubscribeUrlFor = async (organizationId: Id<'organization'>, address: string): Promise<string> => {
  const [recipients, signer] = await Promise.all([vaults.recipients(), vaults.unsubscribe()]);
  const emailHash = recipients.blindIndex(organizationId, 'email', address);
  const token = unsubscribeToken(signer, { organizationId, env: settings.STAGE, emailHash });
  return unsubscribeUrl(settings.PUBLIC_URL, token);
};
