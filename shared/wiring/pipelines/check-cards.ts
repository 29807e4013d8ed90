import { checkCard, type StalledPorts, sweepStages } from '../../domain/cards/stalled.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { isCard, PARSE_KEY } from '../../storage/parse-key.ts';
import { cardPorts } from './cards.ts';
import { pipelinePorts } from './pipelines.ts';

const { clock, store: pipelines, enqueueSweep } = pipelinePorts;
const ports: StalledPorts = { clock, store: cardPorts.store, pipelines, enqueueSweep };

/** Checks whether a card is stalled, or the cards of stages that changed. */
export const processCardCheck = (item: WorkItem): Promise<void> =>
  isCard(item) ? checkCard(ports, PARSE_KEY.card(item)) : sweepStages(ports, PARSE_KEY.pipeline(item));
