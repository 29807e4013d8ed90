import { listPushDispatches as contract } from '../../shared/contracts/push.ts';
import { dispatchView } from '../../shared/domain/channels/push/dispatch.ts';
import { refuse } from '../../shared/domain/core/errors.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listPushDispatches, ownPushMessage } from '../../shared/storage/push/reads.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  async ({ actor, params, query }) => {
    const message = await ownPushMessage(table, actor.organizationId, params.id);
    if (!message) return refuse('NOT_FOUND', 'There is no such push message.');
    return listPushDispatches(table, message, await cursorRequest(contract, actor, { ...query, message: message.id }));
  },
  itemsAs(dispatchView),
);
