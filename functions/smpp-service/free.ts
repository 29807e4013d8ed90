import { lambda } from '../../shared/runtime/lambda.ts';
import { freeSmppBind } from '../../shared/wiring/smpp/service.ts';

/** Of the SMPP service: a bind that has ended. */
export const handler = lambda(freeSmppBind);
