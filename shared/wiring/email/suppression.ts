import { SUPPRESSION_MS, suppresses } from '../../domain/channels/email/suppression.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { MessageStore } from '../../domain/sending/message-store.ts';
import { suppressionStore } from '../../storage/contacts/email-addresses.ts';
import { clock, settings, table } from '../process/aws.ts';
import { sendPorts } from '../sending/ports.ts';

const store = suppressionStore(table);

/**
 * Whether the provider reported an address (blind index) as suppressed. False when the lookup fails: the provider then suppresses the e-mail
 * itself and reports it. Always false in the sandbox.
 */
export const suppressed = async (
  organizationId: Id<'organization'>,
  hashOf: () => string | Promise<string>,
): Promise<boolean> => {
  if (settings.STAGE !== 'live') return false;
  try {
    return await store.isSuppressed(organizationId, await hashOf(), clock());
  } catch {
    return false;
  }
};

/**
 * Advances a message, after storing the address if the report says that it is suppressed. In this order, so that after a crash in between
 * the report is applied again.
 */
export const advanceSuppressing: MessageStore['advance'] = async (message, transition) => {
  const { organizationId, recipientHash } = message;
  if (suppresses(message, transition))
    await store.suppress(organizationId, recipientHash, transition.recordedAt + SUPPRESSION_MS);
  return sendPorts.messageStore.advance(message, transition);
};
