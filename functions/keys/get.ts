import { getKey as contract } from '../../shared/contracts/keys.ts';
import { keyView, readKeyInForce } from '../../shared/domain/access/key-views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => readKeyInForce(keyPorts.store, actor, params.id),
  (key) => keyView(key, keyPorts.clock()),
);
