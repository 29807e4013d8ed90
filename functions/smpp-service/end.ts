import { lambda } from '../../shared/runtime/lambda.ts';
import { endSmppTurn } from '../../shared/wiring/smpp/deliver.ts';

/** For the SMPP service: ends a lease on notices. */
export const handler = lambda(endSmppTurn);
