import { consumer } from '../../shared/runtime/consumer.ts';
import { processJourneyItem } from '../../shared/wiring/automation/journey-work.ts';

export const handler = consumer('journey', processJourneyItem);
