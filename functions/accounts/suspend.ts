import { suspendAccount as contract } from '../../shared/contracts/accounts.ts';
import { accountView } from '../../shared/domain/access/accounts.ts';
import { asCurrentCaller } from '../../shared/domain/access/current-caller.ts';
import { suspendAccount } from '../../shared/domain/access/people.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { callerPorts, peoplePorts } from '../../shared/wiring/access/people.ts';

export const handler = operation(
  contract,
  ({ event, params }) =>
    asCurrentCaller(callerPorts, presentedCall(event), (caller) => suspendAccount(peoplePorts, caller, params.id)),
  accountView,
);
