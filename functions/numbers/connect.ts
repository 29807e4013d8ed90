import { connectNumber as contract } from '../../shared/contracts/numbers.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { connectNumber } from '../../shared/domain/numbers/numbers.ts';
import { numberView } from '../../shared/domain/numbers/views.ts';
import { numberPorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const made = await connectNumber(numberPorts, actor, body);
  return isRefusal(made) ? made : respond(201, numberView(made));
});
