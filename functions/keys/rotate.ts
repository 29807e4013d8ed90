import { rotateKey as contract } from '../../shared/contracts/keys.ts';
import { rotateOwnKey } from '../../shared/domain/access/own-keys.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(contract, ({ event, params: { id }, body: { overlapHours } }) =>
  rotateOwnKey(keyPorts, presentedCall(event), { id, overlapHours }),
);
