import { revokeKey } from '../../shared/contracts/keys.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { keys } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(revokeKey, async ({ event, params }) => {
  const revoked = await keys.revoke(event, params.id);
  return isRefusal(revoked) ? revoked : respond(204, undefined);
});
