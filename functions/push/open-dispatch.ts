import { openPush as contract } from '../../shared/contracts/push.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { clock, table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { openPushDispatch } from '../../shared/storage/push-reads.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const opened = await openPushDispatch(table, actor.organizationId, params.id, clock());
  if (!opened) return refuse('NOT_FOUND', 'There is no such dispatch.');
  return respond(200, { dispatchId: opened.dispatch.id, counted: opened.counted });
});
