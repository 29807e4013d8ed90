import { consumer } from '../../shared/runtime/consumer.ts';
import { drainBacklogOf } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = consumer('backlog', drainBacklogOf);
