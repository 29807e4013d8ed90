import { rotateSmppPassword as contract } from '../../shared/contracts/smpp.ts';
import { rotateOwnPassword } from '../../shared/domain/smpp/accounts.ts';
import { issuedSmppAccountView } from '../../shared/domain/smpp/views.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smppAccountPorts } from '../../shared/wiring/smpp/accounts.ts';

export const handler = operation(
  contract,
  ({ event, params: { id } }) => rotateOwnPassword(smppAccountPorts, presentedCall(event), id),
  issuedSmppAccountView,
);
