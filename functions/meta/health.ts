import { getHealth as contract } from '../../shared/contracts/meta.ts';
import { config } from '../../shared/runtime/config.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async () => respond(200, { status: 'ok' as const, stage: config().STAGE }));
