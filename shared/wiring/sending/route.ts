import type { Id } from '../../domain/core/ids.ts';
import type { RoutePorts } from '../../domain/sending/ports.ts';
import { readHolds } from '../../storage/messages/destination-holds.ts';
import { organizationSettings } from '../access/settings.ts';
import { clock, table } from '../process/aws.ts';
import { ttlCache } from '../process/ttl-cache.ts';
import { quotePorts } from '../wallet/quote.ts';

const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;
const holds = ttlCache<ReadonlyMap<string, number>>(TTL_MS, MAX_ENTRIES);

/** The price table, the organization's destinations, and the prefixes held for it; the last two at most ten seconds old. */
export const routePorts: RoutePorts = {
  prices: quotePorts.prices,
  destinations: async (organizationId) => (await organizationSettings(organizationId)).destinations,
  heldUntil: async (organizationId: Id<'organization'>, prefix: string) => {
    const until = (await holds(organizationId, () => readHolds(table, organizationId))).get(prefix);
    return until !== undefined && until > clock() ? until : undefined;
  },
};
