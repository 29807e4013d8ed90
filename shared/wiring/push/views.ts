import { type PushMessage, pushMessageView } from '../../domain/channels/push/message.ts';
import { pushStatsReader } from '../../storage/push/reads.ts';
import { table } from '../process/aws.ts';

const stats = pushStatsReader(table);

/** Push messages on the wire, with their delivery counts (docs/spec/push.md#push-message-shape). */
export const pushViews = async (messages: readonly PushMessage[], unmasked: boolean) => {
  const read = await stats.statsOf(messages);
  return messages.flatMap((message, at) => {
    const found = read[at];
    return found ? [pushMessageView(message, found.tally, found.opens, unmasked)] : [];
  });
};
