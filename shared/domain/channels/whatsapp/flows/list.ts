import type { Tenant } from '../../../core/actor.ts';
import type { Page, PageRequest } from '../../../message/lists.ts';
import type { FlowFilter, FlowStore, WhatsappFlow } from './flow.ts';

/** The maximum size of a page's flows as JSON, in bytes: a Lambda response has at most 6 MB. */
const MAX_PAGE_BYTES = 5_000_000;

const bytesOf = ({ flowJson }: WhatsappFlow): number => Buffer.byteLength(JSON.stringify(flowJson));

/** The first flows that fit into one response, at least one. */
const fitting = (flows: readonly WhatsappFlow[]): readonly WhatsappFlow[] => {
  let left = MAX_PAGE_BYTES;
  const end = flows.findIndex((flow, at) => {
    left -= bytesOf(flow);
    return left < 0 && at > 0;
  });
  return end < 0 ? flows : flows.slice(0, end);
};

/**
 * A page of an organization's flows, newest first; shorter if they would not fit into one response
 * (docs/spec/whatsapp-flows.md#flow-shape).
 */
export const listFlows = async (
  flows: Pick<FlowStore, 'page'>,
  { organizationId }: Tenant,
  filter: FlowFilter,
  page: PageRequest,
): Promise<Page<WhatsappFlow>> => {
  const { items, total } = await flows.page(organizationId, filter, page);
  return { items: fitting(items), total };
};
