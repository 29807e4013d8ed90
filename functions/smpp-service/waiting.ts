import { lambda } from '../../shared/runtime/lambda.ts';
import { waitingOverSmpp } from '../../shared/wiring/smpp/deliver.ts';

/** Of the SMPP service: what waits to be told to an account. */
export const handler = lambda(waitingOverSmpp);
