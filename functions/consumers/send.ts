import { sendWork } from '../../shared/runtime/compose/unified.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('send', sendWork);
