import type { WorkItem } from '../../queues/queues.ts';
import { processSendItem } from '../messages/queue-and-send.ts';
import { pauseSending } from './refused-account.ts';

type Processor = (item: WorkItem) => Promise<void>;

/** Processors of the queue `send` other than sends; loaded on first use, to keep the interpreter out of a send's cold start. */
const PROCESSORS: Readonly<Partial<Record<WorkItem['kind'], Processor>>> = {
  run_journey: async (item) => (await import('../journeys/work.ts')).processRun(item),
  journey_signal: async (item) => (await import('../journeys/signals.ts')).processSignal(item),
  smpp_parts: async (item) => (await import('../smpp/parts.ts')).processParts(item),
  smpp_watch: async (item) => (await import('../smpp/watch.ts')).processWatch(item),
  journey_work: async (item) => (await import('../journeys/work.ts')).processJourneyWork(item),
};

const processSend: Processor = (item) => processSendItem(item, { onAccountRefused: pauseSending });

/** Processes a work item of the queue `send`. Safe under repeats and reordering. */
export const processSendQueueItem = (item: WorkItem): Promise<void> => (PROCESSORS[item.kind] ?? processSend)(item);
