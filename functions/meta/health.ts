import { getHealth as contract } from '../../shared/contracts/meta.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { config } from '../../shared/wiring/process/config.ts';

export const handler = operation(contract, () => ({ status: 'ok', stage: config().STAGE }));
