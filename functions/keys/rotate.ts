import { rotateKey as contract } from '../../shared/contracts/keys.ts';
import { rotateOwnKey } from '../../shared/domain/access/own-keys.ts';
import { authorizationOf } from '../../shared/runtime/headers.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(contract, ({ event, params: { id }, body: { overlapHours } }) =>
  rotateOwnKey(keyPorts, authorizationOf(event), { id, overlapHours }),
);
