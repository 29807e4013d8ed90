import { confirmUnsubscribe as contract } from '../../shared/contracts/unsubscribe.ts';
import { unsubscribe } from '../../shared/domain/contacts/unsubscribe.ts';
import { donePage, UNSUBSCRIBE_HEADERS } from '../../shared/domain/contacts/unsubscribe-pages.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { unsubscribePorts } from '../../shared/wiring/contacts/unsubscribe.ts';

export const handler = operation(
  contract,
  ({ params, body }) => unsubscribe(unsubscribePorts, params.token, body),
  () => respond(200, donePage, UNSUBSCRIBE_HEADERS),
);
