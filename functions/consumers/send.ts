import { consumer } from '../../shared/runtime/consumer.ts';
import { processSendQueueItem } from '../../shared/wiring/consumers/send.ts';

export const handler = consumer('send', processSendQueueItem);
