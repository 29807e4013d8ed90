import { deleteSmppAccount as contract } from '../../shared/contracts/smpp.ts';
import { deleteOwnAccount } from '../../shared/domain/smpp/accounts.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smppAccountPorts } from '../../shared/wiring/smpp/accounts.ts';

export const handler = operation(contract, ({ event, params: { id } }) =>
  deleteOwnAccount(smppAccountPorts, presentedCall(event), id),
);
