import { forceMessage as contract } from '../../shared/contracts/messages.ts';
import { force } from '../../shared/domain/api/cancel-and-force.ts';
import { messageView } from '../../shared/domain/tracking/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cancelAndForcePorts } from '../../shared/wiring/messages/cancel-and-force.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => force(cancelAndForcePorts, actor, params.id),
  (message, { unmasked }) => messageView(message, unmasked),
);
