import { createMessage as contract } from '../../shared/contracts/message-create.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { createMessage } from '../../shared/domain/messages/create.ts';
import { unifiedPorts } from '../../shared/runtime/compose/unified.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const created = await createMessage(unifiedPorts, actor, idempotencyKey, body);
  return isRefusal(created) ? created : respond(201, created);
});
