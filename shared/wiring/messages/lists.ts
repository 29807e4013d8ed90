import type { ListPorts } from '../../domain/message/lists.ts';
import { listMessagePage } from '../../storage/messages/message-lists.ts';
import { table, vaults } from '../process/aws.ts';

export const listPorts: ListPorts = {
  recipients: vaults.recipients,
  page: (organizationId, channel, filter, page) => listMessagePage(table, organizationId, channel, filter, page),
};
