import { getWallet as contract } from '../../shared/contracts/wallet.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { walletView } from '../../shared/wiring/wallet/wallet.ts';

export const handler = operation(contract, ({ actor }) => walletView(actor));
