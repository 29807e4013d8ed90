import type { QuotePorts } from '../../domain/sending/ports.ts';
import { cachedPrices } from '../../storage/wallet/prices.ts';
import { readVolume, volumeReader } from '../../storage/wallet/volumes.ts';
import { clock, liveTable, table } from '../process/aws.ts';

/** The price table in force, cached. */
export const prices = cachedPrices(table, clock);
/** The live volume of SMS segments, from the live table in both stages. */
export const volumes = volumeReader(
  (organizationId, month) => readVolume(liveTable, organizationId, 'sms', month),
  clock,
);

/** The price table in force, and a live volume of the month with the same price as the true one. */
export const quotePorts: QuotePorts = {
  clock,
  prices: async () => (await prices()).table,
  volume: (organizationId, _env, month, range) => volumes.sure(organizationId, month, range),
};
