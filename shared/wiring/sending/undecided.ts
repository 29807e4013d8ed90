import { mayBeWithdrawn as isOfUndecided } from '../../domain/bulk/escrow.ts';
import type { SendPorts } from '../../domain/sending/ports.ts';
import { readBatch } from '../../storage/bulk/batches.ts';
import { table } from '../process/aws.ts';

/** Loaded only for a repeated key of a bulk message, to keep batches out of the cold starts of sends. */
export const mayBeWithdrawn: SendPorts['mayBeWithdrawn'] = (message) =>
  isOfUndecided({ readBatch: (id) => readBatch(table, id) }, message);
