import { outcomeWork } from '../../shared/runtime/compose/outcomes.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('outcome', outcomeWork);
