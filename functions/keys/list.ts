import { listKeys as contract } from '../../shared/contracts/keys.ts';
import { keyView } from '../../shared/domain/access/key-views.ts';
import type { ApiKey } from '../../shared/domain/access/keys.ts';
import { listOwnKeys } from '../../shared/domain/access/own-keys.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(
  contract,
  ({ actor, query }) => listOwnKeys(keyPorts, actor, query),
  itemsAs((key: ApiKey) => keyView(key, keyPorts.clock())),
);
