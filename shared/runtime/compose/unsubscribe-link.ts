import { unsubscribeToken, unsubscribeUrl } from '../../domain/contacts/unsubscribe-token.ts';
import type { Id } from '../../domain/ids.ts';
import { settings, vault } from './platform.ts';

/** Where one click takes an address of an organization out of this stage. */
export const unsubscribeUrlFor = async (organizationId: Id<'organization'>, address: string): Promise<string> => {
  const keeper = await vault();
  const emailHash = keeper.blindIndex(organizationId, 'email', address);
  const token = unsubscribeToken(keeper, { organizationId, env: settings.STAGE, emailHash });
  return unsubscribeUrl(settings.PUBLIC_URL, token);
};
