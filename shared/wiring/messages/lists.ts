import type { ListPorts } from '../../domain/message/lists.ts';
import { listMessagePage } from '../../storage/messages/message-lists.ts';
import type { ListReading } from '../../storage/messages/totals/filtered-total.ts';
import { clock, settings, table, vaults } from '../process/aws.ts';

/** Where lists of messages are read. */
export const listReading: ListReading = {
  table,
  clock,
  rowsLeave: settings.ROWS_LEAVE || settings.ARCHIVE_AFTER_DAYS !== undefined,
};

export const listPorts: ListPorts = {
  recipients: vaults.recipients,
  page: (organizationId, channel, filter, page) => listMessagePage(listReading, organizationId, channel, filter, page),
};
