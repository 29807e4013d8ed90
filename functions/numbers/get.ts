import { getNumber as contract } from '../../shared/contracts/numbers.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { findNumber } from '../../shared/domain/numbers/numbers.ts';
import { numberView } from '../../shared/domain/numbers/views.ts';
import { numberPorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const outcome = await findNumber(numberPorts, actor, params.numberId);
  return isRefusal(outcome) ? outcome : respond(200, numberView(outcome));
});
