import { getWallet as contract } from '../../shared/contracts/wallet.ts';
import { walletView } from '../../shared/runtime/compose/wallet.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor }) => respond(200, await walletView(actor)));
