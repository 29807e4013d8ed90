import { pushWork } from '../../shared/runtime/compose/push-send.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('push', pushWork);
