import * as z from 'zod';
import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { EnginePorts } from './engine-ports.ts';
import type { RunSweep } from './jobs.ts';
import { moveRun } from './move-run.ts';
import type { JourneyStore } from './ports.ts';
import type { StoredRun } from './run-ports.ts';

/** Ports of sweeps. */
export interface SweepPorts extends EnginePorts {
  readonly jobs: Pick<JourneyStore, 'moveSweep' | 'readSweep'>;
  /** Whether there is time for another page. */
  readonly timeLeft: () => boolean;
}

/** Runs of a page, and how many of them are worked on at once. */
const PAGE = 96;
const AT_ONCE = 12;
/**
 * When a sweep goes over all runs again, in ms after it began: for runs that the index did not show yet, and for those that workers which began before the change
 * were about to begin or to park.
 */
const RESWEEPS_MS = [60_000, 15 * 60_000] as const;

/** How far a sweep came: which of its rounds it is at, and where in the shards of the index. */
const placeSchema = z.strictObject({
  round: z.int(),
  shard: z.int(),
  after: z.record(z.string(), z.string()).optional(),
});
type SweepPlace = z.output<typeof placeSchema>;

const BEGIN: SweepPlace = { round: 0, shard: 0 };
const placeOf = ({ position }: RunSweep): SweepPlace =>
  position === undefined ? BEGIN : placeSchema.parse(JSON.parse(position));

/** Lets a parked run go on; nothing where it is not parked any more. */
const unpark = (ports: EnginePorts, id: Id<'run'>): Promise<StoredRun['run'] | undefined> =>
  retryOnConflict('The run', async () => {
    const [stored] = await ports.runs.read([id]);
    if (!stored?.isParked) return undefined;
    const now = ports.clock();
    const run = { ...stored.run, version: stored.run.version + 1 };
    const after: StoredRun = { ...stored, run, isParked: false, dueAt: now };
    const move = { before: stored, after, added: [], counts: new Map(), goal: undefined, events: [], decidedAt: now };
    return (await ports.runs.save(move)) === 'saved' ? run : CONFLICT;
  });

/** Works on a page of runs. */
const workOn = async (ports: SweepPorts, { kind }: RunSweep, ids: readonly Id<'run'>[]): Promise<void> => {
  if (kind === 'cancel') {
    await mapConcurrently(ids, AT_ONCE, (id) => moveRun(ports, id, { kind: 'cancel', reason: 'jornada_arquivada' }));
    return;
  }
  const gone = await mapConcurrently(ids, AT_ONCE, (id) => unpark(ports, id));
  const runs = gone.filter((run) => run !== undefined);
  if (runs.length > 0) ports.enqueue(runs, ports.clock());
};

/** The place after a page, and when the sweep goes on there (ms); undefined when it is through. */
const next = (
  { since }: RunSweep,
  { round, shard }: SweepPlace,
  after: SweepPlace['after'],
  shards: number,
  now: number,
): { readonly place: SweepPlace; readonly at: number | undefined } => {
  if (after) return { place: { round, shard, after }, at: now };
  if (shard + 1 < shards) return { place: { round, shard: shard + 1 }, at: now };
  const ms = RESWEEPS_MS[round];
  return { place: { round: round + 1, shard: 0 }, at: ms === undefined ? undefined : Math.max(now, since + ms) };
};

/** Whether what a sweep is for still holds: a journey that was paused again keeps its runs where they are. */
const stillApplies = async ({ journeys }: EnginePorts, { journeyId, kind }: RunSweep): Promise<boolean> => {
  const status = (await journeys.find(journeyId))?.status;
  return status === (kind === 'cancel' ? 'arquivada' : 'ativa');
};

/**
 * Goes on with the sweep over a journey's runs, page by page, while there is time. Answers whether it is due again at once. Safe to repeat, and to stop anywhere:
 * each page is done before its place is stored.
 */
export const sweepRuns = async (ports: SweepPorts, journeyId: Id<'journey'>): Promise<boolean> => {
  let sweep = await ports.jobs.readSweep(journeyId);
  while (sweep?.goesOnAt !== undefined && sweep.goesOnAt <= ports.clock()) {
    if (!(await stillApplies(ports, sweep))) {
      await ports.jobs.moveSweep(sweep, { position: sweep.position, goesOnAt: undefined });
      return false;
    }
    const place = placeOf(sweep);
    const of = sweep.kind === 'cancel' ? 'ativa' : 'parked';
    const { ids, after } = await ports.runs.sweepPage(journeyId, of, place.shard, place.after, PAGE);
    await workOn(ports, sweep, ids);
    const { place: then, at } = next(sweep, place, after, ports.runs.shards, ports.clock());
    // A sweep that began anew is gone on with from its beginning.
    sweep =
      (await ports.jobs.moveSweep(sweep, { position: JSON.stringify(then), goesOnAt: at })) ??
      (await ports.jobs.readSweep(journeyId));
    if (!ports.timeLeft()) return sweep?.goesOnAt !== undefined && sweep.goesOnAt <= ports.clock();
  }
  return false;
};
