import { listMessages as contract } from '../../shared/contracts/messages.ts';
import { isoWindow } from '../../shared/domain/core/time.ts';
import { storedView } from '../../shared/domain/tracking/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, from, to, ...filter } }) =>
    listAllMessages(table, actor.organizationId, { ...filter, ...isoWindow(from, to) }, { limit, skip }),
  itemsAs(storedView),
);
