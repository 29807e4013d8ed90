import { lambda } from '../../shared/runtime/lambda.ts';
import { submitOverSmpp } from '../../shared/wiring/smpp/service.ts';

/** Of the SMPP service: a message to send. */
export const handler = lambda(submitOverSmpp);
