import { refreshSession as contract } from '../../shared/contracts/sessions.ts';
import { renewSession } from '../../shared/domain/access/renew-session.ts';
import { enteredView } from '../../shared/domain/access/sessions.ts';
import { cookieHeaders, refuseOtherOrigin, sessionCookieOf } from '../../shared/runtime/browser.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { renewPorts } from '../../shared/wiring/access/sign-in.ts';

export const handler = operation(
  contract,
  ({ event }) => refuseOtherOrigin(event) ?? renewSession(renewPorts, sessionCookieOf(event)),
  (entered) => respond(201, enteredView(entered), cookieHeaders(entered)),
);
