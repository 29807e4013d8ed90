import { lambda } from '../../shared/runtime/lambda.ts';
import { keepSmppBind } from '../../shared/wiring/smpp/service.ts';

/** Of the SMPP service: a bind that goes on. */
export const handler = lambda(keepSmppBind);
