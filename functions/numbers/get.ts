import { getNumber as contract } from '../../shared/contracts/numbers.ts';
import { findNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { numberView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { numberPorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findNumber(numberPorts, actor, params.numberId),
  numberView,
);
