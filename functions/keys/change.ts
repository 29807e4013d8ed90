import { changeKey as contract } from '../../shared/contracts/keys.ts';
import { keyView } from '../../shared/domain/access/key-views.ts';
import { changeOwnKey } from '../../shared/domain/access/own-keys.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(
  contract,
  ({ event, params: { id }, body }) => changeOwnKey(keyPorts, presentedCall(event), { id, ...body }),
  (key) => keyView(key, keyPorts.clock()),
);
