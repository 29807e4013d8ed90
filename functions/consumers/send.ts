import { leaveWork } from '../../shared/runtime/compose/leave.ts';
import { consumer } from '../../shared/runtime/consumer.ts';

export const handler = consumer('send', leaveWork);
