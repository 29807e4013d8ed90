import { openPush as contract } from '../../shared/contracts/push.ts';
import { operation, orNotFound } from '../../shared/runtime/operation.ts';
import { openPushDispatch } from '../../shared/storage/push/reads.ts';
import { clock, publishWork, table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, params }) =>
    openPushDispatch(table, actor.organizationId, params.id, clock(), publishWork).then(
      orNotFound('There is no such dispatch.'),
    ),
  ({ dispatch, counted }) => ({ dispatchId: dispatch.id, counted }),
);
