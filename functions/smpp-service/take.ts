import { lambda } from '../../shared/runtime/lambda.ts';
import { leaseSmppShard } from '../../shared/wiring/smpp/deliver.ts';

/** For the SMPP service: leases an account's pending notices. */
export const handler = lambda(leaseSmppShard);
