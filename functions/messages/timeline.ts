import { getTimeline as contract } from '../../shared/contracts/messages.ts';
import { timelineOf } from '../../shared/domain/tracking/timeline.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { turnsOfMessage } from '../../shared/storage/contacts/ai-turns.ts';
import { readEngagement } from '../../shared/storage/messages/engagement.ts';
import { deliveriesOfMessage } from '../../shared/storage/messages/message-deliveries.ts';
import { readStored } from '../../shared/storage/messages/message-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    readStored(table, actor.organizationId, params.id).then(orNotFound('There is no such message.')),
  async (message, { unmasked }) => {
    const history = await Promise.all([
      deliveriesOfMessage(table, message),
      readEngagement(table, message.id),
      turnsOfMessage(table, message.id),
    ]);
    return { items: timelineOf(message, ...history, unmasked) };
  },
);
