import { disconnectNumber as contract } from '../../shared/contracts/numbers.ts';
import { disconnectNumber } from '../../shared/domain/numbers/numbers.ts';
import { numberPorts } from '../../shared/runtime/compose/numbers.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const refused = await disconnectNumber(numberPorts, actor, params.numberId);
  return refused ?? respond(204, undefined);
});
