import { consumer } from '../../shared/runtime/consumer.ts';
import { processSendItem } from '../../shared/wiring/messages/queue-and-send.ts';

/** As `send`, with a queue and a concurrency of its own: nothing else delays what is critical. */
export const handler = consumer('critical', processSendItem);
