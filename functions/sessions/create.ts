import { createSession as contract } from '../../shared/contracts/sessions.ts';
import { issuedView } from '../../shared/domain/access/sessions.ts';
import { signIn } from '../../shared/domain/access/sign-in.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { signInPorts } from '../../shared/wiring/access/sign-in.ts';

export const handler = operation(contract, ({ body }) => signIn(signInPorts, body.token), issuedView);
