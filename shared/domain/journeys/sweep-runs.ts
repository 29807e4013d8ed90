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

/** Runs per page, and how many are processed concurrently. */
const PAGE = 96;
const CONCURRENCY = 12;
/**
 * When a sweep repeats over all runs, in ms after its start: for runs that the index did not contain yet, and for those that workers from
 * before the change were about to start or to park.
 */
const RESWEEPS_MS = [60_000, 15 * 60_000] as const;

/** The position of a sweep: its round, and where in the index's shards. */
const placeSchema = z.strictObject({
  round: z.int(),
  shard: z.int(),
  after: z.record(z.string(), z.string()).optional(),
});
type SweepPlace = z.output<typeof placeSchema>;

const BEGIN: SweepPlace = { round: 0, shard: 0 };
const placeOf = ({ position }: RunSweep): SweepPlace =>
  position === undefined ? BEGIN : placeSchema.parse(JSON.parse(position));

/** Resumes a parked run; no effect if it is not parked any more. */
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

/** Processes a page of runs. */
const workOn = async (ports: SweepPorts, { kind }: RunSweep, ids: readonly Id<'run'>[]): Promise<void> => {
  if (kind === 'cancel') {
    await mapConcurrently(ids, CONCURRENCY, (id) =>
      moveRun(ports, id, { kind: 'cancel', reason: 'jornada_arquivada' }),
    );
    return;
  }
  const gone = await mapConcurrently(ids, CONCURRENCY, (id) => unpark(ports, id));
  const runs = gone.filter((run) => run !== undefined);
  if (runs.length > 0) ports.enqueue(runs, ports.clock());
};

/** The position after a page, and when the sweep continues there (ms); undefined when it is done. */
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

/** Whether the reason for a sweep still holds: after another pause the runs stay parked. */
const stillApplies = async ({ journeys }: EnginePorts, { journeyId, kind }: RunSweep): Promise<boolean> => {
  const status = (await journeys.find(journeyId))?.status;
  return status === (kind === 'cancel' ? 'arquivada' : 'ativa');
};

/**
 * Continues the sweep over a journey's runs, page by page, while there is time. Returns whether it is due again immediately. Idempotent,
 * and safe to interrupt anywhere: each page is processed before its position is stored.
 */
export const sweepRuns = async (ports: SweepPorts, journeyId: Id<'journey'>): Promise<boolean> => {
  let sweep = await ports.jobs.readSweep(journeyId);
  while (sweep?.resumesAt !== undefined && sweep.resumesAt <= ports.clock()) {
    if (!(await stillApplies(ports, sweep))) {
      await ports.jobs.moveSweep(sweep, { position: sweep.position, resumesAt: undefined });
      return false;
    }
    const place = placeOf(sweep);
    const of = sweep.kind === 'cancel' ? 'ativa' : 'parked';
    const { ids, after } = await ports.runs.sweepPage(journeyId, of, place.shard, place.after, PAGE);
    await workOn(ports, sweep, ids);
    const { place: then, at } = next(sweep, place, after, ports.runs.shards, ports.clock());
    // A restarted sweep continues from its beginning.
    sweep =
      (await ports.jobs.moveSweep(sweep, { position: JSON.stringify(then), resumesAt: at })) ??
      (await ports.jobs.readSweep(journeyId));
    if (!ports.timeLeft()) return sweep?.resumesAt !== undefined && sweep.resumesAt <= ports.clock();
  }
  return false;
};
