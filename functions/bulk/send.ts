import { bulkSend as contract } from '../../shared/contracts/bulk.ts';
import { sendBulk } from '../../shared/domain/bulk/accept.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { bulkPorts } from '../../shared/runtime/compose/bulk.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const accepted = await sendBulk(bulkPorts, actor, body);
  return isRefusal(accepted) ? accepted : respond(202, { ...accepted, errors: [...accepted.errors] });
});
