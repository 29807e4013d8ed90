import { listPrices as contract } from '../../shared/contracts/wallet.ts';
import { pricesView } from '../../shared/runtime/compose/wallet.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async () => respond(200, await pricesView()));
