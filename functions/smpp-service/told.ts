import { lambda } from '../../shared/runtime/lambda.ts';
import { toldOverSmpp } from '../../shared/wiring/smpp/deliver.ts';

/** Of the SMPP service: what an account did with a deliver_sm. */
export const handler = lambda(toldOverSmpp);
