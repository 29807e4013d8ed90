import { createSession as contract } from '../../shared/contracts/sessions.ts';
import { enteredView } from '../../shared/domain/access/sessions.ts';
import { signIn } from '../../shared/domain/access/sign-in.ts';
import { cookieHeaders, refuseOtherOrigin } from '../../shared/runtime/browser.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { signInPorts } from '../../shared/wiring/access/sign-in.ts';

export const handler = operation(
  contract,
  ({ body: { token, cookie }, event }) =>
    (cookie && refuseOtherOrigin(event)) || signIn(signInPorts, token, { cookie }),
  (entered) => respond(201, enteredView(entered), cookieHeaders(entered)),
);
