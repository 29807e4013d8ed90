import { disconnectNumber as contract } from '../../shared/contracts/numbers.ts';
import { disconnectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { numberPorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(contract, ({ actor, params }) =>
  disconnectNumber(numberPorts, actor, params.numberId),
);
