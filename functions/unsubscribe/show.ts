import { showUnsubscribe as contract } from '../../shared/contracts/unsubscribe.ts';
import { findUnsubscription } from '../../shared/domain/contacts/unsubscribe.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { unsubscribePorts } from '../../shared/runtime/compose/unsubscribe.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { askPage, UNSUBSCRIBE_HEADERS } from '../../shared/runtime/unsubscribe-pages.ts';

export const handler = operation(contract, async ({ params }) => {
  const found = await findUnsubscription(unsubscribePorts, params.token);
  return isRefusal(found) ? found : respond(200, askPage, UNSUBSCRIBE_HEADERS);
});
