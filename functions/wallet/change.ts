import { changeWallet as contract } from '../../shared/contracts/wallet.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { changeLowBalance } from '../../shared/runtime/compose/wallet.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const wallet = await changeLowBalance(actor, body.lowBalanceCoins);
  return isRefusal(wallet) ? wallet : respond(200, wallet);
});
