import { lambda } from '../../shared/runtime/lambda.ts';
import { cancelSmppMessage } from '../../shared/wiring/smpp/service.ts';

/** Of the SMPP service: a message that shall not leave. */
export const handler = lambda(cancelSmppMessage);
