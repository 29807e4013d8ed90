import type { ListPorts } from '../../domain/message/lists.ts';
import { listMessagePage } from '../../storage/messages/message-lists.ts';
import type { ListReading } from '../../storage/messages/totals/filtered-total.ts';
import { clock, publishWork, settings, table, vaults } from '../process/aws.ts';
import { remainingMs } from '../process/scope.ts';

/** Where lists of messages are read. */
export const listReading: ListReading = {
  table,
  clock,
  rowsExpire: settings.ROWS_EXPIRE || settings.ARCHIVE_AFTER_DAYS !== undefined,
  remainingMs,
  onUncounted: (key, owner) => publishWork([{ kind: 'count_list', ...key, owner }]),
};

export const listPorts: ListPorts = {
  recipients: vaults.recipients,
  page: (organizationId, channel, filter, page) => listMessagePage(listReading, organizationId, channel, filter, page),
};
