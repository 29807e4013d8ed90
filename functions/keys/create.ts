import { createKey as contract } from '../../shared/contracts/keys.ts';
import { createOwnKey } from '../../shared/domain/access/own-keys.ts';
import { definedFields } from '../../shared/domain/core/patch.ts';
import { presentedCall } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(contract, ({ event, body: { expiresAt, allowedIps, ...request } }) =>
  createOwnKey(keyPorts, presentedCall(event), {
    ...request,
    ...definedFields({ allowedIps, expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt) }),
  }),
);
