import type { BulkResendPorts } from '../../domain/bulk/resend.ts';
import { batchKeys } from '../../storage/bulk/batch-keys.ts';
import { findResendable } from '../../storage/bulk/find-resendable.ts';
import { resendPorts } from '../messages/resend.ts';
import { table } from '../process/aws.ts';
import { store } from '../sending/batches.ts';

export const bulkResendPorts: BulkResendPorts = {
  ...resendPorts,
  store,
  batchKeys: batchKeys(table),
  find: (organizationId, filter, most) => findResendable(table, organizationId, filter, most),
};
