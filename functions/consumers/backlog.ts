import { drainBacklogOf } from '../../shared/runtime/compose/webhooks.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('backlog', drainBacklogOf);
