import { listPrices as contract } from '../../shared/contracts/wallet.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { pricesView } from '../../shared/wiring/wallet/wallet.ts';

export const handler = operation(contract, () => pricesView());
