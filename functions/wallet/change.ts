import { changeWallet as contract } from '../../shared/contracts/wallet.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { changeLowBalance } from '../../shared/wiring/wallet/wallet.ts';

export const handler = operation(contract, ({ actor, body }) => changeLowBalance(actor, body.lowBalanceCoins));
