import type { LeavePorts } from '../../domain/messages/leave.ts';
import { rateLimitOf } from '../../domain/numbers/limits.ts';
import type { RateLimit } from '../../domain/numbers/number.ts';
import { numberRoom } from '../../domain/numbers/rate.ts';
import { drawFromNumber } from '../../storage/numbers-rate.ts';
import { numberPorts } from './numbers.ts';
import { clock, table } from './platform.ts';

/** How long a process trusts the rate of a number that it read, in ms. */
const TRUST_MS = 10_000;
const MOST_KEPT = 10_000;
const kept = new Map<string, { at: number; limit: RateLimit | undefined }>();

const limitOf = async (organizationId: string, numberId: string): Promise<RateLimit | undefined> => {
  const place = `${organizationId} ${numberId}`;
  const held = kept.get(place);
  const now = clock();
  if (held && now - held.at < TRUST_MS) return held.limit;
  const number = await numberPorts.numbers.read(organizationId, numberId);
  const limit = number && rateLimitOf(number);
  if (kept.size > MOST_KEPT) kept.clear();
  kept.set(place, { at: now, limit });
  return limit;
};

/** Puts messages off that would be more than their number may send. */
export const roomOfNumber: NonNullable<LeavePorts['numberRoom']> = (message, now) =>
  numberRoom({ limitOf, draw: (numberId, limit, at) => drawFromNumber(table, numberId, limit, at) }, message, now);
