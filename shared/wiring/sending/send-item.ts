import type { QueuedMessage } from '../../domain/message/message.ts';
import { isCritical, type Publishable } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';

/** The work item that sends a queued message. */
export const sendItem = (message: QueuedMessage): Publishable => ({
  kind: 'send_message',
  ...KEYS.message(message.id),
  organizationId: message.organizationId,
  critical: isCritical(message),
});
