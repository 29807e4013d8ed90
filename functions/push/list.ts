import { listPush as contract } from '../../shared/contracts/push.ts';
import { isoWindow } from '../../shared/domain/core/time.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listPushMessages } from '../../shared/storage/push/reads.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { table } from '../../shared/wiring/process/aws.ts';
import { pushViews } from '../../shared/wiring/push/views.ts';

export const handler = operation(
  contract,
  async ({ actor, query }) => {
    const { status, origin, from, to } = query;
    const filter = { status, origin, ...isoWindow(from, to) };
    return listPushMessages(table, filter, await cursorRequest(contract, actor, query));
  },
  async (page, { unmasked }) => ({ ...page, items: await pushViews(page.items, unmasked) }),
);
