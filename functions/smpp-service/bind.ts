import { lambda } from '../../shared/runtime/lambda.ts';
import { bindOverSmpp } from '../../shared/wiring/smpp/service.ts';

/** Of the SMPP service: a bind. */
export const handler = lambda(bindOverSmpp);
