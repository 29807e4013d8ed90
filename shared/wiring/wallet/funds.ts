import type { Id } from '../../domain/core/ids.ts';
import type { AnswerPorts, SubmitPorts } from '../../domain/sending/accept.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { keepAnsweredBalance } from '../../storage/messages/idempotency.ts';
import { readWallet } from '../../storage/wallet/read-wallet.ts';
import { noteDepleted as writeDepleted } from '../../storage/wallet/wallet.ts';
import { clock, publishWork, table } from '../process/aws.ts';

/** The available balance, in coins; 0 before the wallet's first entry. */
export const balance: SubmitPorts['balance'] = async (organizationId) =>
  (await readWallet(table, organizationId))?.balance ?? 0;

/** Balances of wallets with lanes, cached for a second (docs/spec/wallet.md#balance): reading one takes two rows per lane. */
const recent = new Map<Id<'organization'>, { readonly at: number; readonly balance: number }>();
const RECENT_MS = 1_000;
const MAX_RECENT = 10_000;

const recentBalance = async (organizationId: Id<'organization'>): Promise<number> => {
  const held = recent.get(organizationId);
  if (held && Math.abs(clock() - held.at) < RECENT_MS) return held.balance;
  const read = await readWallet(table, organizationId);
  if (recent.size >= MAX_RECENT) recent.clear();
  if (read?.wallet.opened) recent.set(organizationId, { at: clock(), balance: read.balance });
  return read?.balance ?? 0;
};

/**
 * The balance of a message's first response. If it can't be stored, the send is answered anyway, and a repeat shows the current balance.
 */
export const answeredBalance: AnswerPorts['answeredBalance'] = async (message) => {
  const now = await recentBalance(message.organizationId);
  return keepAnsweredBalance(table, message, now).catch(() => now);
};

/** Raises wallet.depleted, once until the next credit. */
export const noteDepleted: SubmitPorts['noteDepleted'] = async (organizationId, env) => {
  const event = await writeDepleted(table, { organizationId, env, now: clock() });
  if (event) publishWork([eventWorkItem(event)]);
};
