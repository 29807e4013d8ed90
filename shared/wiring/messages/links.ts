import type { LinkPorts } from '../../domain/tracking/follow-link.ts';
import { interactionRecorder } from '../../storage/messages/interactions.ts';
import { linkStore } from '../../storage/messages/links.ts';
import { readMessage } from '../../storage/messages/message-lists.ts';
import { clock, publishWork, table } from '../process/aws.ts';

export const linkPorts: LinkPorts = {
  clock,
  ...linkStore(table, publishWork),
  interacted: interactionRecorder(table, clock),
  readMessage: (organizationId, id) => readMessage(table, organizationId, id),
};
