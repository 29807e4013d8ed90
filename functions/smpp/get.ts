import { getSmppAccount as contract } from '../../shared/contracts/smpp.ts';
import { readOwnAccount } from '../../shared/domain/smpp/accounts.ts';
import { smppAccountView } from '../../shared/domain/smpp/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smppAccountPorts } from '../../shared/wiring/smpp/accounts.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => readOwnAccount(smppAccountPorts, actor, params.id),
  smppAccountView,
);
