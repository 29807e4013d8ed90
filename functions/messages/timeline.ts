import { getTimeline as contract } from '../../shared/contracts/messages.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { timelineOf } from '../../shared/domain/messages/timeline.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { deliveriesOfMessage } from '../../shared/storage/message-deliveries.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readMessage(table, actor.organizationId, params.id);
  if (!message) return refuse('NOT_FOUND', 'There is no such message.');
  return respond(200, { items: timelineOf(message, await deliveriesOfMessage(table, message)) });
});
