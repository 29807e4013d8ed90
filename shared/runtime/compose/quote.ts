import type { QuotePorts } from '../../domain/messages/ports.ts';
import { cachedPrices } from '../../storage/prices.ts';
import { readVolume, volumeReader } from '../../storage/volumes.ts';
import { clock, liveTable, table } from './platform.ts';

export const prices = cachedPrices(table, clock);
export const volumes = volumeReader(
  (organizationId, month) => readVolume(liveTable, organizationId, 'sms', month),
  clock,
);

/** What pricing needs: the table in force, and a volume of the live month that prices as the true one does. */
export const quotePorts: QuotePorts = {
  clock,
  prices: async () => (await prices()).table,
  volume: (organizationId, _env, month, holdsUntil) => volumes.sure(organizationId, month, holdsUntil),
};
