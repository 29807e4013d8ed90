import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import type { Clock } from '../core/time.ts';
import type { Pipeline, PipelineStore, Stage } from '../pipelines/pipeline.ts';
import type { Card, CardChange, CardStore, StagePosition } from './card.ts';
import { silentChange, stalledChange } from './records.ts';
import { stalledAt } from './rules.ts';

export interface StalledPorts {
  readonly clock: Clock;
  readonly store: Pick<CardStore, 'find' | 'inStage' | 'save'>;
  readonly pipelines: Pick<PipelineStore, 'change' | 'find'>;
  readonly enqueueSweep: (pipeline: Pipeline) => void;
}

/** The card after its stalled check: marked as stalled, or with its next check. Undefined if nothing changes. */
const examined = (card: Card, stage: Stage | undefined, now: number): CardChange | undefined => {
  const at = stage && stalledAt(card, stage);
  if (at !== undefined && at <= now && !card.stalled)
    return stalledChange(card, { ...card, stalled: true, checkAt: undefined }, stage?.maxDays ?? 0, now);
  const stalled = at !== undefined && at <= now;
  const isAwaited = card.checkAt !== undefined && card.checkAt > now && at !== undefined && card.checkAt <= at;
  const checkAt = at === undefined || stalled ? undefined : isAwaited ? card.checkAt : at;
  if (card.stalled === stalled && card.checkAt === checkAt) return undefined;
  return silentChange(card, { ...card, stalled, checkAt });
};

const stageIn = (pipeline: Pipeline | undefined, id: Id<'stage'>): Stage | undefined =>
  pipeline?.stages.find((stage) => stage.id === id);

/** Checks a due card, tolerating concurrent changes: it is marked as stalled once, or scheduled for its next check. */
export const checkCard = (ports: Omit<StalledPorts, 'enqueueSweep'>, id: Id<'card'>): Promise<void> =>
  retryOnConflict('The card', async () => {
    const card = await ports.store.find(id);
    if (card?.checkAt === undefined || card.checkAt > ports.clock()) return undefined;
    const stage = stageIn(await ports.pipelines.find(card.pipelineId), card.stageId);
    const change = examined(card, stage, ports.clock());
    if (!change) return undefined;
    return (await ports.store.save(change)).kind === 'saved' ? undefined : CONFLICT;
  });

const PAGE = 200;
const IN_FLIGHT = 8;
/** Cards that one run changes before it hands over to the next. */
const MAX_CHANGED = 1_000;
/** A sweep that starts this long after a stage's change, in ms, sees every card that was moved based on the previous settings. */
const CHECK_AGAIN_MS = 60_000;

/** Checks a card of a changed stage; returns whether the card changed. */
const examineNow = (ports: StalledPorts, id: Id<'card'>, stage: Stage): Promise<boolean> =>
  retryOnConflict('The card', async () => {
    const card = await ports.store.find(id);
    const change = card?.stageId === stage.id ? examined(card, stage, ports.clock()) : undefined;
    if (!change) return false;
    return (await ports.store.save(change)).kind === 'saved' ? true : CONFLICT;
  });

/** Checks the cards of a stage; returns how many changed. Stops at the limit of a run. */
const sweepStage = async (ports: StalledPorts, stage: Stage): Promise<number> => {
  let changed = 0;
  let after: StagePosition | undefined;
  do {
    const page = await ports.store.inStage(stage.id, after, PAGE);
    const due = page.cards.filter((card) => examined(card, stage, ports.clock()) !== undefined);
    const answers = await mapConcurrently(due, IN_FLIGHT, ({ id }) => examineNow(ports, id, stage));
    changed += answers.filter(Boolean).length;
    after = page.next;
  } while (after && changed < MAX_CHANGED);
  return changed;
};

/** Ends a sweep, or schedules another; not if a stage changed again since. */
const settle = (ports: StalledPorts, { id, sweep: done }: Pipeline, startedAt: number): Promise<void> =>
  retryOnConflict('The pipeline', async () => {
    const before = await ports.pipelines.find(id);
    if (!before?.sweep || before.sweep.since !== done?.since) return;
    const again = before.sweep.since + CHECK_AGAIN_MS;
    const sweep = startedAt >= again ? undefined : { ...before.sweep, at: again };
    const after = { ...before, sweep, version: before.version + 1 };
    return (await ports.pipelines.change(before, after)) === 'saved' ? undefined : CONFLICT;
  });

/** Checks the cards of stages whose limit of days changed. Idempotent, and safe to interrupt anywhere. */
export const sweepStages = async (ports: StalledPorts, id: Id<'pipeline'>): Promise<void> => {
  const startedAt = ports.clock();
  const pipeline = await ports.pipelines.find(id);
  if (!pipeline?.sweep || pipeline.sweep.at > startedAt) return;
  let changed = 0;
  for (const stageId of pipeline.sweep.stages) {
    const stage = stageIn(pipeline, stageId);
    if (stage) changed += await sweepStage(ports, stage);
    if (changed >= MAX_CHANGED) return ports.enqueueSweep(pipeline);
  }
  await settle(ports, pipeline, startedAt);
};
