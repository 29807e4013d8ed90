import { lambda } from '../../shared/runtime/lambda.ts';
import { queryOverSmpp } from '../../shared/wiring/smpp/service.ts';

/** For the SMPP service: returns a message's status. */
export const handler = lambda(queryOverSmpp);
