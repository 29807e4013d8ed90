import { lambda } from '../../shared/runtime/lambda.ts';
import { takeSmppTurn } from '../../shared/wiring/smpp/deliver.ts';

/** Of the SMPP service: a turn at what waits. */
export const handler = lambda(takeSmppTurn);
