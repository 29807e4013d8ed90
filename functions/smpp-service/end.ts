import { lambda } from '../../shared/runtime/lambda.ts';
import { endSmppTurn } from '../../shared/wiring/smpp/deliver.ts';

/** Of the SMPP service: a turn that has ended. */
export const handler = lambda(endSmppTurn);
