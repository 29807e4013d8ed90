import type { Tenant } from '../core/actor.ts';
import { newId } from '../core/ids.ts';
import type { Sender, SenderChannel, SenderStatus } from './sender.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** SES looks for the DNS records of a new domain for 72 hours, and a mailed link is valid for 24. */
const CHECKED_FOR_MS = 72 * HOUR_MS;

/** A pending sender is checked after a tenth of the time that it has waited, 1 minute to 1 hour. */
const nextCheck = ({ createdAt }: Pick<Sender, 'createdAt'>, now: number): number =>
  now + Math.min(HOUR_MS, Math.max(MINUTE_MS, Math.floor((now - createdAt) / 10)));
export const checksFrom = (createdAt: number, now: number) => ({
  checkUntil: now + CHECKED_FOR_MS,
  nextCheckAt: nextCheck({ createdAt }, now),
});

/** A new sender's fields, except those that its registration returns. */
export const draft = (
  { organizationId }: Pick<Tenant, 'organizationId'>,
  channel: SenderChannel,
  value: string,
  now: number,
): Omit<Sender, 'status'> => ({
  id: newId('sender'),
  organizationId,
  channel,
  value,
  isDefault: false,
  version: 1,
  createdAt: now,
  updatedAt: now,
});

/** A sender with another status; a pending one is checked until `checkUntil`. */
export const withStatus = (sender: Sender, status: SenderStatus, now: number): Sender => {
  const { checkUntil, nextCheckAt: _, ...rest } = sender;
  return {
    ...rest,
    ...(status === 'pending' ? { checkUntil, nextCheckAt: nextCheck(sender, now) } : {}),
    status,
    verifiedAt: status === 'verified' ? (sender.verifiedAt ?? now) : sender.verifiedAt,
    version: sender.version + 1,
    updatedAt: now,
  };
};
