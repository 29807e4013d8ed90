import { publishEvent } from '../../shared/runtime/compose/webhooks.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('events', publishEvent);
