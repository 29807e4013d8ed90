import { listKeys as contract } from '../../shared/contracts/keys.ts';
import { type ApiKey, keyView } from '../../shared/domain/access/keys.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(
  contract,
  ({ actor, query }) => keyPorts.store.list(actor.organizationId, query),
  itemsAs((key: ApiKey) => keyView(key, keyPorts.clock())),
);
