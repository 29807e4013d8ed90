import { requestSignInLink as contract } from '../../shared/contracts/sessions.ts';
import { requestLink } from '../../shared/domain/access/sign-in.ts';
import { callerAddress } from '../../shared/runtime/edge.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { linkPorts } from '../../shared/wiring/access/sign-in-links.ts';

export const handler = operation(contract, ({ body, event }) =>
  requestLink(linkPorts, body.email, callerAddress(event)),
);
