import { consumer } from '../../shared/runtime/consumer.ts';
import { processPushItem } from '../../shared/wiring/push/send.ts';

export const handler = consumer('push', processPushItem);
