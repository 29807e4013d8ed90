import { showSignIn as contract } from '../../shared/contracts/sessions.ts';
import { SIGN_IN_HEADERS, signInPage } from '../../shared/domain/access/sign-in-page.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, () => respond(200, signInPage, SIGN_IN_HEADERS));
