import { lambda } from '../../shared/runtime/lambda.ts';
import { carrierOverSmpp } from '../../shared/wiring/smpp/carrier.ts';

/** Of the SMPP service: the binds to a carrier. */
export const handler = lambda(carrierOverSmpp);
