import type { AnswerPorts, SubmitPorts } from '../../domain/sending/accept.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { keepAnsweredBalance } from '../../storage/messages/idempotency.ts';
import { readWallet } from '../../storage/wallet/read-wallet.ts';
import { noteDepleted as writeDepleted } from '../../storage/wallet/wallet.ts';
import { clock, publishWork, table } from '../process/aws.ts';

/** The available balance, in coins; 0 before the wallet's first entry. */
export const balance: SubmitPorts['balance'] = async (organizationId) =>
  (await readWallet(table, organizationId))?.balance ?? 0;

/** The balance of a message's first answer. An accepted send is answered even when it cannot be kept: its repeat then shows the current one. */
export const answeredBalance: AnswerPorts['answeredBalance'] = async (message) => {
  const now = await balance(message.organizationId);
  return keepAnsweredBalance(table, message, now).catch(() => now);
};

/** Raises wallet.depleted, once until the next credit. */
export const noteDepleted: SubmitPorts['noteDepleted'] = async (organizationId, env) => {
  const event = await writeDepleted(table, { organizationId, env, now: clock() });
  if (event) publishWork([eventWorkItem(event.id)]);
};
