import { unsubscribeToken, unsubscribeUrl } from '../../domain/contacts/unsubscribe-token.ts';
import type { Id } from '../../domain/core/ids.ts';
import { settings, vault } from '../process/aws.ts';

/** The one-click unsubscribe URL of an address in this stage (docs/spec/email.md#one-click-unsubscribe). */
export const unsubscribeUrlFor = async (organizationId: Id<'organization'>, address: string): Promise<string> => {
  const opened = await vault();
  const emailHash = opened.blindIndex(organizationId, 'email', address);
  const token = unsubscribeToken(opened, { organizationId, env: settings.STAGE, emailHash });
  return unsubscribeUrl(settings.PUBLIC_URL, token);
};
