import { operatorEntry } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { draft, withStatus } from './lifecycle.ts';
import { type Sender, type SenderChannel, type SenderPorts, senderValue } from './sender.ts';

type Owner = Pick<Tenant, 'organizationId'>;

/**
 * In the sandbox a sender is verified by its first use: the pending one, or else a new one, whoever else uses or registered its value.
 * False for an invalid sender. A full list has no effect on the send.
 */
export const verifyByUse = async (
  { clock, senders }: Pick<SenderPorts, 'clock' | 'senders'>,
  owner: Owner,
  channel: SenderChannel,
  given: string,
  pending: readonly Sender[],
): Promise<boolean> => {
  const value = senderValue(channel, given);
  if (value === undefined) return false;
  const now = clock();
  const [before] = pending;
  if (before === undefined) {
    await senders.create({ ...draft(owner, channel, value, now), status: 'verified', used: true, verifiedAt: now });
    return true;
  }
  const after = withStatus(before, 'verified', now);
  if ((await senders.change(before, after)) === 'taken') await senders.change(before, { ...after, used: true });
  return true;
};

/** The audit entry of the operator's action on a sender. */
const entryOf = ({ organizationId, id, channel }: Sender, action: 'sender.assigned' | 'sender.rejected', at: number) =>
  operatorEntry(organizationId, { action, object: id, at, details: { channel } });

/**
 * Assigns a sender to an organization, for the operator: verified immediately, whatever the provider reports. Undefined if another
 * organization has it.
 */
export const assignSender = async (
  { clock, senders }: Pick<SenderPorts, 'clock' | 'senders'>,
  owner: Owner,
  channel: SenderChannel,
  value: string,
): Promise<Sender | undefined> =>
  retryOnConflict('The sender', async () => {
    const now = clock();
    const [before] = await senders.find(owner.organizationId, channel, [value]);
    if (!before) {
      const sender: Sender = {
        ...draft(owner, channel, value, now),
        status: 'verified',
        assigned: true,
        verifiedAt: now,
      };
      const outcome = await senders.create(sender, entryOf(sender, 'sender.assigned', now));
      if (outcome.kind === 'saved') return sender;
      if (outcome.kind === 'conflict' || (outcome.kind === 'taken' && outcome.own)) return CONFLICT;
      return undefined;
    }
    if (before.status === 'verified') return before;
    const after: Sender = { ...withStatus(before, 'verified', now), assigned: true };
    const changed = await senders.change(before, after, entryOf(after, 'sender.assigned', now));
    return changed === 'conflict' ? CONFLICT : changed === 'saved' ? after : undefined;
  });

/**
 * Rejects the pending senders of other organizations with the same value, so that it can be assigned: merely registering it proves nothing.
 * False if a verified one has it.
 */
export const rejectPending = async (
  { clock, senders }: Pick<SenderPorts, 'clock' | 'senders'>,
  { organizationId }: Owner,
  channel: SenderChannel,
  value: string,
): Promise<boolean> => {
  const holders = await senders.holders(channel, [value]);
  const others = holders.filter((holder) => holder.organizationId !== organizationId);
  if (others.some(({ status }) => status === 'verified')) return false;
  for (const other of others) {
    const now = clock();
    await senders.change(other, withStatus(other, 'rejected', now), entryOf(other, 'sender.rejected', now));
  }
  return true;
};
