import { lambda } from '../../shared/runtime/lambda.ts';
import { queryOverSmpp } from '../../shared/wiring/smpp/service.ts';

/** Of the SMPP service: what became of a message. */
export const handler = lambda(queryOverSmpp);
