import fc from 'fast-check';
import { test } from 'vitest';
import type { Channel } from '../../shared/domain/message/channel.ts';
import { historyArbitrary, MODELLED, runHistory } from '../support/send-model.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

/** Another history: SEED=… npx vitest run test/faults/model.test.ts */
const SEED = Number(process.env.SEED ?? 20_261_121);

/** Histories of SMS, whose volume moves, and of each of the others. */
const RUNS = { sms: shareOf(12), others: shareOf(4) };

const inMemory = await use(startWorld('live', { inMemory: true }));
const onEngine = await use(startWorld('live', { inMemory: false }));

/** All of them in memory, and one of each channel on the engine. */
const play = async (channel: Channel, numRuns: number): Promise<void> => {
  for (const { world, runs } of [
    { world: inMemory, runs: numRuns },
    { world: onEngine, runs: 1 },
  ]) {
    const property = fc.asyncProperty(historyArbitrary(14), (history) => runHistory(world, channel, history));
    await fc.assert(property, { seed: SEED, numRuns: runs, endOnFailure: false });
  }
};

test.each(MODELLED)(
  `any history of sends, fallbacks, receipts, sweeps, repeated and reordered queue messages, and faults of the table on %s keeps the money invariants after every step, sends at most once, and charges exactly what was accepted (seed ${SEED})`,
  (channel) => play(channel, channel === 'sms' ? RUNS.sms : RUNS.others),
  600_000,
);
