import type { QueuedMessage } from '../../domain/message/message.ts';
import { type Publishable, workOf } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';

/** A work item of a message's own row. */
export const messageWorkItem = (
  kind: 'send_message' | 'recover_send' | 'sandbox_outcome',
  message: QueuedMessage,
): Publishable => ({ kind, ...KEYS.message(message.id), ...workOf(message) });
