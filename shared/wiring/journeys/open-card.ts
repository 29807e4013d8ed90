import type { PerformPorts } from '../../domain/journeys/perform.ts';
import { cardPage } from '../../storage/pipelines/card-lists.ts';
import { table } from '../process/aws.ts';

const NEWEST = { skip: 0, limit: 1 } as const;

/** The last created open card of a contact in a pipeline; undefined if there is none. */
export const openCard: PerformPorts['openCard'] = async (organizationId, contactId, pipelineId) => {
  const { items } = await cardPage(table)(organizationId, { contactId, pipelineId, status: 'aberto' }, NEWEST);
  return items[0];
};
