import { changeBreaker as contract } from '../../shared/contracts/operator-stage.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { changeBreaker } from '../../shared/wiring/operator/providers.ts';

export const handler = operation(contract, ({ actor, body }) => changeBreaker(actor, body));
