import { lambda } from '../../shared/runtime/lambda.ts';
import { waitingOverSmpp } from '../../shared/wiring/smpp/deliver.ts';

/** For the SMPP service: lists the shards of an account with pending notices. */
export const handler = lambda(waitingOverSmpp);
