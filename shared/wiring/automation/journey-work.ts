import type { WorkItem } from '../../queues/queues.ts';

type Processor = (item: WorkItem) => Promise<void>;

/** Processors of the work items of journeys; each is safe under repeats and reordering. */
const PROCESSORS = {
  run_journey: async (item) => (await import('../journeys/work.ts')).processRun(item),
  journey_signal: async (item) => (await import('../journeys/signals.ts')).processSignal(item),
  journey_work: async (item) => (await import('../journeys/work.ts')).processJourneyWork(item),
} satisfies Partial<Record<WorkItem['kind'], Processor>>;

/** Processes a work item of journeys; undefined for one of another kind. */
export const journeyProcessor = (item: WorkItem): Processor | undefined =>
  (PROCESSORS as Readonly<Record<string, Processor | undefined>>)[item.kind];
