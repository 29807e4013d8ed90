import { getPush as contract } from '../../shared/contracts/push.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { ownPushMessage } from '../../shared/storage/push/reads.ts';
import { table } from '../../shared/wiring/process/aws.ts';
import { pushViews } from '../../shared/wiring/push/views.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await ownPushMessage(table, actor.organizationId, params.id);
  const [view] = message ? await pushViews([message], actor.scopes.has('pii:full')) : [];
  return orNotFound('There is no such push message.')(view);
});
