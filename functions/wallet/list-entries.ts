import { listWalletEntries as contract } from '../../shared/contracts/wallet.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { ledgerPage } from '../../shared/runtime/compose/ledger.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, query }) => {
  const page = await ledgerPage(actor, query.limit, query.cursor);
  return isRefusal(page) ? page : respond(200, page);
});
