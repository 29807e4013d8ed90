import { lambda } from '../../shared/runtime/lambda.ts';
import { releaseSmppShard } from '../../shared/wiring/smpp/deliver.ts';

/** For the SMPP service: ends a lease on notices. */
export const handler = lambda(releaseSmppShard);
