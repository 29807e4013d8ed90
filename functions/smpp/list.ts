import { listSmppAccounts as contract } from '../../shared/contracts/smpp.ts';
import { smppAccountView } from '../../shared/domain/smpp/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smppAccountPorts } from '../../shared/wiring/smpp/accounts.ts';

export const handler = operation(
  contract,
  ({ actor }) => smppAccountPorts.accounts.list(actor.organizationId),
  (accounts) => ({ items: accounts.map(smppAccountView) }),
);
