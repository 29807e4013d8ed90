import { createSmppAccount as contract } from '../../shared/contracts/smpp.ts';
import { createOwnAccount } from '../../shared/domain/smpp/accounts.ts';
import { issuedSmppAccountView } from '../../shared/domain/smpp/views.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smppAccountPorts } from '../../shared/wiring/smpp/accounts.ts';

export const handler = operation(
  contract,
  ({ event, body }) => createOwnAccount(smppAccountPorts, presentedCall(event), body),
  issuedSmppAccountView,
);
