import type { BulkResendPorts } from '../../domain/bulk/resend.ts';
import { findResendable } from '../../storage/bulk-find.ts';
import { store } from './batches.ts';
import { table } from './platform.ts';
import { resendPorts } from './resend.ts';

/** What sending many messages anew needs. */
export const bulkResendPorts: BulkResendPorts = {
  ...resendPorts,
  store,
  find: (organizationId, filter, most) => findResendable(table, organizationId, filter, most),
};
