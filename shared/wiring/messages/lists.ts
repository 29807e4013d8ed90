import type { ListPorts } from '../../domain/message/lists.ts';
import { listMessagePage } from '../../storage/messages/message-lists.ts';
import { table, vault } from '../process/aws.ts';

export const listPorts: ListPorts = {
  vault,
  page: (organizationId, channel, filter, page) => listMessagePage(table, organizationId, channel, filter, page),
};
