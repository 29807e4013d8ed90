import type { PushChunk } from '../channels/push/dispatch.ts';
import { byPlatform, sumTallies, type Tally } from '../channels/push/message.ts';
import type { SettledDispatch } from './ports.ts';

/** The contribution of settled devices to their chunk's counts; a device that is retried has none yet. */
export const tallyOfSettled = (settled: readonly SettledDispatch[]): Tally =>
  byPlatform((platform) => {
    const own = settled.filter(({ dispatch }) => dispatch.platform === platform);
    const count = (status: string) => own.filter((each) => each.status === status).length;
    return { delivered: count('delivered'), failures: count('failed') };
  });

/** A chunk once the outcomes of these devices are written. */
export const afterSettlement = (chunk: PushChunk, settled: readonly SettledDispatch[]): PushChunk => ({
  ...chunk,
  step: chunk.step + 1,
  tally: sumTallies([chunk.tally, tallyOfSettled(settled)]),
});

/** Whether each device of a chunk was accepted or has failed. */
export const isResolved = ({ tally, devices }: PushChunk): boolean =>
  Object.values(tally).reduce((sum, { delivered, failures }) => sum + delivered + failures, 0) >= devices;
