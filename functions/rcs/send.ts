import { sendRcs as contract } from '../../shared/contracts/rcs.ts';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { rcsPorts } from '../../shared/wiring/sending/ports.ts';

export const handler = operation(contract, ({ actor, body, idempotencyKey }) =>
  sendRcs(rcsPorts, actor, idempotencyKey, body),
);
