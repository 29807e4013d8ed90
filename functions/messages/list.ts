import { listMessages as contract } from '../../shared/contracts/messages.ts';
import { isoWindow } from '../../shared/domain/core/time.ts';
import { storedView } from '../../shared/domain/tracking/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { listReading } from '../../shared/wiring/messages/lists.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, from, to, ...filter } }) =>
    listAllMessages(listReading, actor.organizationId, { ...filter, ...isoWindow(from, to) }, { limit, skip }),
  itemsAs(storedView),
);
