import type { Id } from '../../domain/core/ids.ts';
import type { InboundChange } from '../../domain/inbound/receive.ts';
import type { Sender } from '../../domain/inbound/sender.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { OPT_OUT_ATTRIBUTES, recipientRows } from './recipient-opt-outs.ts';

const readUser = recipientRows.pick('phoneHash', 'optInStatus', 'revokedAt', 'revokedReason');

/** The phone of a user id (blind indexes), and the opt-out made by the id. One strongly consistent read. */
export const readChannelUser = async (
  table: Table,
  organizationId: Id<'organization'>,
  userHash: string,
): Promise<Sender['user']> => {
  const row = await table.get(KEYS.channelUser(organizationId, userHash));
  if (!row) return undefined;
  const { phoneHash, optInStatus, revokedAt: at, revokedReason: reason = '' } = readUser(row);
  return { phoneHash, optOut: optInStatus === 'denied' && at !== undefined ? { at, reason } : undefined };
};

/**
 * Stores that a user id belongs to a phone, and removes the opt-out that the same transaction moves to the phone. Condition: no opt-out was
 * stored since the row was read.
 */
export const userLinkWrite = (
  organizationId: Id<'organization'>,
  { userHash, phoneHash, hadOptOut }: NonNullable<InboundChange['userLink']>,
): WriteOp => ({
  update: KEYS.channelUser(organizationId, userHash),
  set: recipientRows.set({ organizationId, phoneHash }),
  ...(hadOptOut ? { remove: OPT_OUT_ATTRIBUTES } : { when: { text: 'attribute_not_exists(#optInStatus)' } }),
});
