import { lambda } from '../../shared/runtime/lambda.ts';
import { keepSmppBind } from '../../shared/wiring/smpp/service.ts';

/** For the SMPP service: renews a bind. */
export const handler = lambda(keepSmppBind);
