import { SUPPRESSION_MS, suppresses } from '../../domain/email/suppression.ts';
import type { Journal } from '../../domain/messages/journal.ts';
import { suppressionStore } from '../../storage/email-consent.ts';
import { clock, settings, table } from './platform.ts';
import { sendPorts } from './send.ts';

const store = suppressionStore(table);

/**
 * Whether its provider reported an address (blind index) as suppressed. False where that cannot be learned: the provider holds the e-mail
 * back then, and reports it. The sandbox holds nothing back but what the simulator plays.
 */
export const suppressed = async (organizationId: string, hashOf: () => string | Promise<string>): Promise<boolean> => {
  if (settings.STAGE !== 'live') return false;
  try {
    return await store.isSuppressed(organizationId, await hashOf(), clock());
  } catch {
    return false;
  }
};

/**
 * Moves a message on and keeps the address that the report says is held back: before the step, which ends the report, so that a fault in
 * between leaves the report to be applied again.
 */
export const advanceSuppressing: Journal['advance'] = async (message, step) => {
  const { organizationId, toHash } = message;
  if (suppresses(message, step)) await store.suppress(organizationId, toHash, step.recordedAt + SUPPRESSION_MS);
  return sendPorts.journal.advance(message, step);
};
