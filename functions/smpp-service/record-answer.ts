import { lambda } from '../../shared/runtime/lambda.ts';
import { recordSmppAnswer } from '../../shared/wiring/smpp/deliver.ts';

/** For the SMPP service: records the account's response to a deliver_sm. */
export const handler = lambda(recordSmppAnswer);
