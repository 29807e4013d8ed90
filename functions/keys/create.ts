import { createKey as contract } from '../../shared/contracts/keys.ts';
import { createOwnKey } from '../../shared/domain/access/own-keys.ts';
import { authorizationOf } from '../../shared/runtime/headers.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { keyPorts } from '../../shared/wiring/access/keys.ts';

export const handler = operation(contract, ({ event, body: { expiresAt, ...request } }) =>
  createOwnKey(keyPorts, authorizationOf(event), {
    ...request,
    ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }),
  }),
);
