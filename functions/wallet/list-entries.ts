import { listWalletEntries as contract } from '../../shared/contracts/wallet.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { ledgerPage } from '../../shared/wiring/wallet/ledger.ts';

export const handler = operation(contract, ({ actor, query }) => ledgerPage(actor, query.limit, query.cursor));
