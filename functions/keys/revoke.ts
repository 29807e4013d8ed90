import { revokeKey as contract } from '../../shared/contracts/keys.ts';
import { revokeOwnKey } from '../../shared/domain/access/own-keys.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(
  contract,
  ({ event, params: { id }, query: { only } }) =>
    revokeOwnKey(keyPorts, presentedCall(event), { id, onlyThis: only === 'this' }),
  () => undefined,
);
