import { isUndecided } from '../../domain/bulk/escrow.ts';
import type { OperatePorts } from '../../domain/messages/operate.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { forceLeave } from '../../storage/force.ts';
import { readStored } from '../../storage/message-lists.ts';
import { store } from './batches.ts';
import { clock, publishDue, table } from './platform.ts';
import { sendPorts } from './send.ts';

/** What an operator's acts on queued messages need, over this stage's table and queue. */
export const operatePorts: OperatePorts = {
  clock,
  journal: sendPorts.journal,
  readMessage: (organizationId, id) => readStored(table, organizationId, id),
  forceLeave: (message, at, decision) => forceLeave(table, message, at, decision),
  isUndecided: (message) => isUndecided(store, message),
  hintSend: (messageId) => publishDue([{ kind: 'send_message', ...KEYS.message(messageId) }]),
  hintChain: (id) => publishDue([{ kind: 'fallback', ...KEYS.chain(id) }]),
};
