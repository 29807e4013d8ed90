import { showUnsubscribe as contract } from '../../shared/contracts/unsubscribe.ts';
import { findUnsubscription } from '../../shared/domain/contacts/unsubscribe.ts';
import { confirmPage, UNSUBSCRIBE_HEADERS } from '../../shared/domain/contacts/unsubscribe-pages.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { unsubscribePorts } from '../../shared/wiring/contacts/unsubscribe.ts';

export const handler = operation(
  contract,
  ({ params }) => findUnsubscription(unsubscribePorts, params.token),
  () => respond(200, confirmPage, UNSUBSCRIBE_HEADERS),
);
