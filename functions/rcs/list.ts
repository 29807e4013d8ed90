import { listRcs as contract } from '../../shared/contracts/rcs.ts';
import { rcsView, statesOf } from '../../shared/domain/channels/rcs/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listMessageCursor } from '../../shared/storage/messages/message-lists.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  async ({ actor, query }) => {
    const { status, channel: via, campaignId } = query;
    const filter = { status: status && statesOf(status), via, campaignId };
    return listMessageCursor(table, 'rcs', filter, await cursorRequest(contract, actor, query));
  },
  itemsAs(rcsView),
);
