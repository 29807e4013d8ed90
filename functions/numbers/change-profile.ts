import { changeNumberProfile as contract } from '../../shared/contracts/numbers.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { changeProfile } from '../../shared/domain/numbers/numbers.ts';
import { profileView } from '../../shared/domain/numbers/views.ts';
import { numberPorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const outcome = await changeProfile(numberPorts, actor, params.numberId, body);
  return isRefusal(outcome) ? outcome : respond(200, profileView(outcome.profile));
});
