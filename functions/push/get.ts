import { getPush as contract } from '../../shared/contracts/push.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { pushViews } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { ownPushMessage } from '../../shared/storage/push-reads.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await ownPushMessage(table, actor.organizationId, params.id);
  const [view] = message ? await pushViews([message]) : [];
  return view ? respond(200, view) : refuse('NOT_FOUND', 'There is no such push message.');
});
