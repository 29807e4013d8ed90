import { changeSmppAccount as contract } from '../../shared/contracts/smpp.ts';
import { changeAccount } from '../../shared/domain/smpp/accounts.ts';
import { smppAccountView } from '../../shared/domain/smpp/views.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smppAccountPorts } from '../../shared/wiring/smpp/accounts.ts';

export const handler = operation(
  contract,
  ({ event, params: { id }, body }) => changeAccount(smppAccountPorts, presentedCall(event), { id, ...body }),
  smppAccountView,
);
