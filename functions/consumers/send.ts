import { consumer } from '../../shared/runtime/consumer.ts';
import { processSendItem } from '../../shared/wiring/messages/queue-and-send.ts';

export const handler = consumer('send', processSendItem);
