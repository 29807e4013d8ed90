import { getTimeline as contract } from '../../shared/contracts/messages.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { timelineOf } from '../../shared/domain/messages/timeline.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readEngagement } from '../../shared/storage/engagement.ts';
import { deliveriesOfMessage } from '../../shared/storage/message-deliveries.ts';
import { readStored } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readStored(table, actor.organizationId, params.id);
  if (!message) return refuse('NOT_FOUND', 'There is no such message.');
  const [deliveries, engagement] = await Promise.all([
    deliveriesOfMessage(table, message),
    readEngagement(table, message.id),
  ]);
  return respond(200, { items: timelineOf(message, deliveries, engagement) });
});
