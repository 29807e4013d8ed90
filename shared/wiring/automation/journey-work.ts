import type { WorkItem } from '../../queues/queues.ts';

type JourneyKind = 'run_journey' | 'journey_signal' | 'journey_work';
type Processor = (item: WorkItem) => Promise<void>;

/** Processors of the work items of the queue `journey`; each is safe under repeats and reordering. */
const PROCESSORS: Readonly<Partial<Record<JourneyKind, Processor>>> = {
  run_journey: async (item) => (await import('../journeys/work.ts')).processRun(item),
  journey_signal: async (item) => (await import('../journeys/signals.ts')).processSignal(item),
  journey_work: async (item) => (await import('../journeys/work.ts')).processJourneyWork(item),
};

/** Processes a work item of journeys. Throws a TypeError for one that nothing processes. */
export const processJourneyItem = async (item: WorkItem): Promise<void> => {
  const process = (PROCESSORS as Readonly<Record<string, Processor | undefined>>)[item.kind];
  if (!process) throw new TypeError(`nothing in the queue of journeys processes ${item.kind}`);
  await process(item);
};
