import { edgesOf } from '../../domain/pricing/prices.ts';
import type { QuotePorts } from '../../domain/sending/ports.ts';
import { cachedPrices } from '../../storage/wallet/prices.ts';
import { readVolume, volumeReader } from '../../storage/wallet/volumes.ts';
import { clock, liveTable, settings, table } from '../process/aws.ts';

/** The price table in force, cached. */
export const prices = cachedPrices(table, clock);
/** In the test stage only the bands' first positions: it may read these counters of the live wallet, and nothing else. */
export const visibleBands = async (): Promise<readonly number[] | undefined> => {
  if (settings.STAGE === 'live') return undefined;
  const { table: rows } = await prices();
  return [...new Set(rows.filter(({ channel }) => channel === 'sms').flatMap(edgesOf))];
};
/** The live volume of SMS segments, from the live table in both stages. */
export const volumes = volumeReader(
  async (organizationId, month) => readVolume(liveTable, organizationId, 'sms', month, await visibleBands()),
  clock,
);

/** The price table in force, and a live volume of the month with the same price as the true one. */
export const quotePorts: QuotePorts = {
  clock,
  prices: async () => (await prices()).table,
  volume: (organizationId, _env, month, range) => volumes.sure(organizationId, month, range),
};
