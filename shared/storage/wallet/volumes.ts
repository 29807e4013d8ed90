import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';

/** Live segments of an organization's month on a channel; 0 before the first. One read of one small row. */
export const readVolume = async (
  liveTable: Table,
  organizationId: Id<'organization'>,
  channel: string,
  month: string,
): Promise<number> => {
  const row = await liveTable.get(KEYS.volume(organizationId, channel, month), { eventual: true });
  return row ? z.int().parse(row.segments) : 0;
};

interface Seen {
  volume: number;
  at: number;
}
/** No organization's live volume grows faster: ten times what one wallet can be debited per second, with long texts. */
const MAX_SEGMENTS_PER_MS = 25;
const MAX_SEEN = 10_000;

/**
 * A process's cached volumes. Live sends use the last one seen, since their transaction verifies it or returns the right one. Test sends need
 * the true band: the volume is read again as soon as it could have reached the next band since the last read.
 */
export const volumeReader = (
  read: (organizationId: Id<'organization'>, month: string) => Promise<number>,
  clock: () => number,
) => {
  const seen = new Map<string, Seen>();
  const keep = (key: string, volume: number) => {
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(key, { volume, at: clock() });
    return volume;
  };
  return {
    /** The last volume seen, or 0: a condition must verify it. */
    guess: (organizationId: Id<'organization'>, month: string): number =>
      seen.get(`${organizationId}#${month}`)?.volume ?? 0,
    learn: (organizationId: Id<'organization'>, month: string, volume: number): void =>
      void keep(`${organizationId}#${month}`, volume),
    /** A volume in the same band as the true one; `edge` returns the last volume of the band that a given one is in. */
    async sure(organizationId: Id<'organization'>, month: string, edge: (volume: number) => number): Promise<number> {
      const key = `${organizationId}#${month}`;
      const held = seen.get(key);
      if (held && held.volume + (clock() - held.at + 50) * MAX_SEGMENTS_PER_MS < edge(held.volume)) return held.volume;
      return keep(key, await read(organizationId, month));
    },
  };
};
