import type { CancelAndForcePorts } from '../../domain/api/cancel-and-force.ts';
import { isUndecided } from '../../domain/bulk/escrow.ts';
import { fallbackWorkItem } from '../../storage/messages/fallbacks.ts';
import { forceSend } from '../../storage/messages/force.ts';
import { readStored } from '../../storage/messages/message-lists.ts';
import { clock, publishWork, table } from '../process/aws.ts';
import { store } from '../sending/batches.ts';
import { messageWorkItem } from '../sending/message-work-item.ts';
import { sendPorts } from '../sending/ports.ts';

export const cancelAndForcePorts: CancelAndForcePorts = {
  clock,
  messageStore: sendPorts.messageStore,
  readMessage: (organizationId, id) => readStored(table, organizationId, id),
  forceSend: (message, at, decision) => forceSend(table, message, at, decision),
  isUndecided: (message) => isUndecided(store, message),
  enqueueSend: (message) => publishWork([messageWorkItem('send_message', message)]),
  enqueueFallback: (fallback) => publishWork([fallbackWorkItem(fallback)]),
};
