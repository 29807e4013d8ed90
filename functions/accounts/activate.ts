import { activateAccount as contract } from '../../shared/contracts/accounts.ts';
import { accountView } from '../../shared/domain/access/accounts.ts';
import { activateAccount } from '../../shared/domain/access/people.ts';
import { asCaller } from '../../shared/runtime/current-caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { peoplePorts } from '../../shared/wiring/access/people.ts';

export const handler = operation(
  contract,
  ({ event, params }) => asCaller(event, (caller) => activateAccount(peoplePorts, caller, params.id)),
  accountView,
);
