import { followLink as contract } from '../../shared/contracts/links.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { followLink, type LinkPorts } from '../../shared/domain/links/follow.ts';
import { clock, publishDue, table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { linkStore } from '../../shared/storage/links.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';
import { eventHint } from '../../shared/storage/outbox.ts';

const ports: LinkPorts = {
  clock,
  ...linkStore(table, (eventId) => publishDue([eventHint(eventId)])),
  readMessage: (organizationId, id) => readMessage(table, organizationId, id),
};

export const handler = operation(contract, async ({ params }) => {
  const target = await followLink(ports, params.code);
  if (isRefusal(target)) return target;
  return respond(302, undefined, { location: target, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
});
