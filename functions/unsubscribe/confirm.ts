import { confirmUnsubscribe as contract } from '../../shared/contracts/unsubscribe.ts';
import { unsubscribe } from '../../shared/domain/contacts/unsubscribe.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { unsubscribePorts } from '../../shared/runtime/compose/unsubscribe.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { donePage, UNSUBSCRIBE_HEADERS } from '../../shared/runtime/unsubscribe-pages.ts';

export const handler = operation(contract, async ({ params, body }) => {
  const done = await unsubscribe(unsubscribePorts, params.token, body);
  return isRefusal(done) ? done : respond(200, donePage, UNSUBSCRIBE_HEADERS);
});
